// One thing that a worker is asked to do, and who waits for it. Private to workers/.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "workers/workers.h"

namespace mb::workers {

using Time = std::chrono::steady_clock::time_point;

// Past its timeout a job has this long to be stopped by the worker's own watch; then the worker is killed.
inline constexpr std::chrono::milliseconds kGrace{300};

// How a run or a check ended.
struct JobEnd : RunOutcome {
  CheckedCode code;  // of a check
};

// A frame that tells a worker of it stands ready: the run's number and its timeout are filled in when it begins.
struct Job {
  store::ProjectNo project = 0;
  RunClass runClass = RunClass::normal;
  int core = 0;  // of who asked
  Time queued{};
  Time waitUntil{};  // no longer for a worker
  std::chrono::milliseconds timeout{};
  uint32_t passedOver = 0;  // by others of its project that were asked for on the worker's core

  ModulePtr module;  // null: a check
  std::string frame;
  size_t timeoutAt = 0;  // where it stands in the frame; 0: nowhere
  std::shared_ptr<Bridge> bridge;
  Resumer<JobEnd> auditClient;
};
using JobPtr = std::shared_ptr<Job>;

}  // namespace mb::workers
