// CPU time and priority of a worker's process. Private to workers/.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string_view>

namespace mb::workers {

std::optional<std::chrono::microseconds> cpuTimeOf(pid_t pid);
// Sets the lowest priority: the process runs only on idle CPUs.
bool lowerPriority(pid_t pid);
// Sets the normal priority again; false if the system does not allow it.
bool raisePriority(pid_t pid);

// Tests on an idle process what the system allows. With `oneWay` the process keeps the lowest priority.
enum class Lowering { never, oneWay, bothWays };
Lowering tryLowering(pid_t pid);
// For the log and Stats: "normal", "idle priority, then a new worker", "idle priority".
std::string_view wordsFor(Lowering lowering);

}  // namespace mb::workers
