// What the commands show: results on standard output; progress and failures on standard error. People get lines, and
// progress on a terminal once a command takes longer than a second; with `json` scripts get one object a line.
#pragma once

#include <chrono>

#include "cli/wire.h"

namespace mb::cli {

// "copying 12.3 MiB of 1.0 GiB" or "documents 1200 of 30000".
std::string describe(const Step& step);
// "12 B", "3.4 MiB".
std::string describeBytes(uint64_t bytes);

class Console {
 public:
  explicit Console(bool json);
  void step(const Step& step);
  // Each gives the exit code.
  int show(const Outcome& outcome);
  int show(const Failure& failure);

 private:
  void clear();
  const bool json_;
  const bool terminal_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point shown_;
  bool lineShown_ = false;
};

}  // namespace mb::cli
