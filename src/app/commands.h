// The commands of the program. Each returns the exit code.
#pragma once

#include <string>

#include "api/service_routes.h"
#include "app/command.h"

namespace mb::app {

// Serves until SIGTERM or SIGINT (0), or prints an error (1). A second signal ends the process at once, with 1.
int serve(const api::Version& version);
// Every setting with its default, for `serve --help`.
std::string settingsHelp();
// Runs a command on a data directory ("" for the configured one) and prints its result: 0 on success, 1 on failure, 2
// for wrong arguments; check also returns 1 when it found problems.
int runCommand(const Command& command, const std::string& dataDirectory, cli::Arguments arguments, bool json,
               const api::Version& version);

}  // namespace mb::app
