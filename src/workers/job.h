// A Job is a run or a check of one worker, with the Resumer of its caller. Private to workers/.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "workers/workers.h"

namespace mb::workers {

using Time = std::chrono::steady_clock::time_point;

// So long after its timeout the worker is killed, if its own watchdog has not stopped the job.
inline constexpr std::chrono::milliseconds kGrace{300};

// How a run or a check ended.
struct JobEnd : RunOutcome {
  CheckedCode code;  // of a check
};

struct Job {
  store::ProjectNo project = 0;
  RunClass runClass = RunClass::normal;
  int core = 0;  // of the caller
  Time queued{};
  Time waitUntil{};  // without a worker by then it fails
  std::chrono::milliseconds timeout{};
  uint32_t passedOver = 0;  // how often a later job of its project, of the worker's core, was preferred

  ModulePtr module;      // null: a check
  std::string frame;     // for the worker; the run's number and its timeout are filled in when it begins
  size_t timeoutAt = 0;  // offset of the timeout in the frame; 0: it has none
  std::shared_ptr<Bridge> bridge;
  Resumer<JobEnd> resumer;
};
using JobPtr = std::shared_ptr<Job>;

}  // namespace mb::workers
