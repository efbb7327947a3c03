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
  Descriptor socket;  // our end, not blocking
  Descriptor errors;  // what it writes to its standard error, not blocking
};

// The process has the socket as descriptor 3, a pipe that does not block as its standard error, nothing else open, no
// environment but PATH, and a process group of its own. Blocks for about a millisecond. The process may ask for a
// signal at the end of the thread that calls this.
Result<Process> startProcess(const std::filesystem::path& program, const std::vector<std::string>& arguments);

// The last of what was written, at most 4 KiB.
std::string readErrors(int descriptor);

}  // namespace mb::workers
