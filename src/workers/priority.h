// CPU time and priority of a worker's process. Private to workers/.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string_view>

namespace mb::workers {

std::optional<std::chrono::microseconds> cpuTimeOf(pid_t pid);
// To the lowest priority: it runs when nobody else wants to.
bool lowerPriority(pid_t pid);
// Back; false where the system does not allow it.
bool raisePriority(pid_t pid);

// What the system allows, tried on a process that does nothing. One that cannot come back stays where it is.
enum class Lowering { never, oneWay, bothWays };
Lowering tryLowering(pid_t pid);
// As `ready` tells it: "normal", "idle priority, then a new worker", "idle priority".
std::string_view wordsFor(Lowering lowering);

}  // namespace mb::workers
