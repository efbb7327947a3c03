// The confinement of the process, in case code escapes from the engine: the kernel only allows the process to use
// memory, to read the clock, and to use its one socket. Both functions return the names of the measures in force, for
// the frame `ready`.
#pragma once

#include <string>

namespace mb::worker {

// Call before any thread and any guest code: namespaces, a user of its own and an empty root folder, as far as the host
// allows. The process dies with the thread that started it.
std::string leaveHost();

// Call after everything is loaded and all threads have started: limits, no new privileges, the list of allowed system
// calls (any other ends the process). No executable memory unless `jit`. Ends the process if the kernel refuses.
// `socket`: the only descriptor that may be read or sent to.
std::string lockDown(int socket, bool jit);

}  // namespace mb::worker
