// Output of the commands: results on standard output, progress and failures on standard error. Text by default, with
// progress on a terminal once a command takes longer than a second; with `json` one object a line.
#pragma once

#include <chrono>

#include "cli/wire.h"

namespace mb::cli {

// "copying 12.3 MiB of 1.0 GiB", "documents 1200 of 30000", or "reading" where nothing is counted.
std::string describe(const Step& step);
// "12 B", "3.4 MiB".
std::string describeBytes(uint64_t bytes);

class Console {
 public:
  // `colours`: whether results may be coloured, where they go to a terminal.
  explicit Console(bool json, bool colours = false);
  bool json() const { return json_; }
  bool colours() const { return colours_; }
  void step(const Step& step);
  // Prints text before the result; nothing with `json`.
  void say(std::string_view text);
  // Both return the exit code.
  int show(const Outcome& outcome);
  int show(const Failure& failure);

 private:
  void clear();
  const bool json_;
  const bool colours_;
  const bool terminal_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point shown_;
  bool lineShown_ = false;
};

}  // namespace mb::cli
