// Runs a standard load with a fault in a process of its own, which is this program again.
#pragma once

#include <filesystem>

#include "store/embedded/faults/ledger.h"

namespace mb::store::embedded {

struct Fault {
  uint64_t failCall = 0;  // number of the call; 0: no failure
  uint64_t cutPowerAt = 0;
  uint64_t seed = 0;
  bool lyingSyncs = false;
};

struct LoadRun {
  int exit = -1;       // the exit code; -1: ended by a signal
  int signal = 0;      // that signal; SIGALRM if it hung
  std::string output;  // for the ledger, and "calls N" and "failed CALL" of the file system
  std::string errors;  // standard error

  uint64_t calls() const;
  std::string failed() const;
};

LoadRun runLoadProcess(const std::filesystem::path& directory, int round, const Fault& fault);

}  // namespace mb::store::embedded
