// Looks the callers of sockets up again: each credential once for all sockets that share it, and several at a time,
// so that one slow lookup does not hold up the others. Private to this module.
#pragma once

#include <memory>
#include <vector>

#include "base/task.h"

namespace mb::realtime {

class CoreHub;
class Session;

// Concurrent lookups of one call, and of those of a core that no batch waits for.
inline constexpr size_t kMaxLookups = 16;

// Completes once each session has been refreshed or has ended. On the hub's core; the hub outlives the call.
Async<void> refreshCallers(CoreHub* hub, std::vector<std::shared_ptr<Session>> sessions);

}  // namespace mb::realtime
