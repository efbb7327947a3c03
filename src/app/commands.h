// What the program can be told to do. Each gives the exit code.
#pragma once

#include <string>

#include "api/service_routes.h"
#include "app/command.h"

namespace mb::app {

// Serves until SIGTERM or SIGINT (0), or says why it cannot (1). A second signal ends the process at once, with 1.
int serve(const api::Version& version);
// Every setting with its default, for `serve --help`.
std::string settingsHelp();
// Carries out a command on a data directory ("" for the configured one) and shows what comes of it: 0 when it did what
// it was to do, 1 when not, 2 when it was called wrongly; check also gives 1 when it found something.
int runCommand(const Command& command, const std::string& dataDirectory, cli::Arguments arguments, bool json,
               const api::Version& version);

}  // namespace mb::app
