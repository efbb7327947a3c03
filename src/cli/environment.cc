#include "cli/environment.h"

#include <cstdlib>

namespace mb::cli {

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Environment Environment::ofProcess() {
  Environment out;
  out.url = variable("MANYBASE_URL");
  out.token = variable("MANYBASE_TOKEN");
  out.project = variable("MANYBASE_PROJECT");
  const std::filesystem::path config = variable("XDG_CONFIG_HOME");
  const std::filesystem::path home = variable("HOME");
  // The XDG specification: relative paths are ignored.
  if (config.is_absolute()) {
    out.folder = config / "manybase";
  } else if (home.is_absolute()) {
    out.folder = home / ".config" / "manybase";
  }
  out.caFile = variable("SSL_CERT_FILE");
  out.colours = variable("NO_COLOR").empty() && variable("TERM") != "dumb";
  return out;
}

}  // namespace mb::cli
