// The command line.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "app/commands.h"
#include "app/version.h"

int main(int argc, char** argv) {
  using namespace mb::app;
  const mb::api::Version version{kVersion, kCommit, kChartVersion};

  CLI::App program("Manybase: a backend server for many projects", "manybase");
  program.require_subcommand(0, 1);
  const std::string versionLine = fmt::format("manybase {} ({})", version.version, version.commit);
  program.set_version_flag("--version", versionLine, "Print the version and exit");

  CLI::App* serveCommand = program.add_subcommand("serve", "Serve requests (what is done without a command)");
  serveCommand->footer([] {
    return "Settings, from the environment or a .env file in the working directory (name, meaning, [default]):\n" +
           settingsHelp();
  });

  std::string dataDirectory;
  CLI::App* checkCommand = program.add_subcommand("check", "Check the whole store for consistency");
  checkCommand->add_option("--data", dataDirectory, "Data directory (default: SERVICE_DATA_DIR)");

  CLI::App* versionCommand = program.add_subcommand("version", "Print the version");

  CLI11_PARSE(program, argc, argv);
  if (*versionCommand) {
    fmt::print("{}\n", versionLine);
    return 0;
  }
  if (*checkCommand) return check(dataDirectory);
  return serve(version);
}
