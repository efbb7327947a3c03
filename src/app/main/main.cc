// The command line.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "app/commands.h"
#include "app/version.h"

namespace {

using namespace mb::app;

// What was given of one command's options.
struct Given {
  const Command* command = nullptr;
  CLI::App* parser = nullptr;
  std::map<std::string, std::string> values;
  std::map<std::string, bool> flags;
  std::string dataDirectory;
  bool json = false;

  mb::cli::Arguments arguments() const {
    mb::cli::Arguments out;
    for (const auto& [name, value] : values) {
      if (parser->count("--" + name) > 0) out[name] = value;
    }
    for (const auto& [name, on] : flags) {
      if (on) out[name] = "true";
    }
    return out;
  }
};

void declare(CLI::App& program, Given& given, const Command& command) {
  given.command = &command;
  given.parser = program.add_subcommand(std::string(command.name), std::string(command.help));
  given.parser->add_option("--data", given.dataDirectory, "Data directory (default: SERVICE_DATA_DIR)");
  for (const Option& option : command.options) {
    const std::string name(option.name);
    const std::string help(option.help);
    if (option.kind == Option::Kind::flag) {
      given.parser->add_flag("--" + name, given.flags[name], help);
      continue;
    }
    CLI::Option* made = given.parser->add_option("--" + name, given.values[name], help);
    if (option.required) made->required();
  }
  given.parser->add_flag("--json", given.json, "The result as JSON, progress and failures as JSON lines");
}

}  // namespace

int main(int argc, char** argv) {
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
  std::vector<Given> given(commands().size());
  for (size_t i = 0; i < given.size(); ++i) declare(program, given[i], commands()[i]);
  CLI::App* versionCommand = program.add_subcommand("version", "Print the version");

  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Help and version end here too, with 0.
    return program.exit(error) == 0 ? 0 : 2;
  }
  if (*versionCommand) {
    fmt::print("{}\n", versionLine);
    return 0;
  }
  for (const Given& each : given) {
    if (*each.parser) return runCommand(*each.command, each.dataDirectory, each.arguments(), each.json, version);
  }
  return serve(version);
}
