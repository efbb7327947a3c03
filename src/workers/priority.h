// CPU time and priority of a worker's process. Private to workers/.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>

namespace mb::workers {

std::optional<std::chrono::microseconds> cpuTimeOf(pid_t pid);
// To the lowest priority: it runs when nobody else wants to.
bool lowerPriority(pid_t pid);
// Back; false where the system does not allow it.
bool raisePriority(pid_t pid);

}  // namespace mb::workers
