#include "workers/priority.h"

#include <sched.h>
#include <time.h>

namespace mb::workers {

std::optional<std::chrono::microseconds> cpuTimeOf(pid_t pid) {
  clockid_t clock;
  timespec time;
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return std::nullopt;
  return std::chrono::microseconds(time.tv_sec * 1'000'000 + time.tv_nsec / 1000);
}

bool lowerPriority(pid_t pid) {
  const sched_param none{};
  return ::sched_setscheduler(pid, SCHED_IDLE, &none) == 0;
}

bool raisePriority(pid_t pid) {
  const sched_param none{};
  return ::sched_setscheduler(pid, SCHED_OTHER, &none) == 0;
}

Lowering tryLowering(pid_t pid) {
  if (!lowerPriority(pid)) return Lowering::never;
  return raisePriority(pid) ? Lowering::bothWays : Lowering::oneWay;
}

std::string_view wordsFor(Lowering lowering) {
  switch (lowering) {
    case Lowering::never:
      return "normal";
    case Lowering::oneWay:
      return "idle priority, then a new worker";
    case Lowering::bothWays:
      return "idle priority";
  }
  return "";
}

}  // namespace mb::workers
