// Starts a worker's process. Private to workers/.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/error.h"

namespace mb::workers {

struct Process {
  pid_t pid = 0;
  Descriptor socket;  // the server's end, not blocking
  Descriptor errors;  // reads its standard error, not blocking
};

// The process has the socket as descriptor 3, a pipe that does not block as its standard error, nothing else open, no
// environment but PATH, and a process group of its own. Blocks for about a millisecond. The process may request a
// signal for the end of the calling thread (PR_SET_PDEATHSIG).
Result<Process> startProcess(const std::filesystem::path& program, const std::vector<std::string>& arguments);

// The last bytes written to the pipe, at most 4 KiB.
std::string readErrors(int descriptor);

}  // namespace mb::workers
