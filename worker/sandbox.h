// What stands around the engine, in case it is broken into: the kernel lets the process do nothing but use memory, tell
// the time and talk on its one socket. Words of what is in force go into the frame `ready`.
#pragma once

#include <string>

namespace mb::worker {

// Before any thread and any guest's code: namespaces and a user of its own, an empty root folder, as far as the host
// allows; the process dies with the thread that started it.
std::string leaveHost();

// After everything is loaded and all threads are there: limits, no new privileges, the list of system calls that may be
// made at all (any other ends the process). Without executable memory unless `jit`. Ends the process where the kernel
// refuses. `socket`: the only descriptor that may be read or sent to.
std::string lockDown(int socket, bool jit);

}  // namespace mb::worker
