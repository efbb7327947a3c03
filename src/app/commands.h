// What the program can be told to do. Each gives the exit code.
#pragma once

#include <string>

#include "api/service_routes.h"

namespace mb::app {

// Serves until SIGTERM or SIGINT (0), or says why it cannot (1). A second signal ends the process at once, with 1.
int serve(const api::Version& version);
// Every setting with its default, for `serve --help`.
std::string settingsHelp();
// A full consistency scan of the data directory ("" for the configured one); 0 when all is well, 1 when not or when it
// cannot be opened.
int check(const std::string& dataDirectory);

}  // namespace mb::app
