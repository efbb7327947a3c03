// The command line parser.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "app/commands.h"
#include "app/version.h"
#include "cli/client.h"

namespace {

using namespace mb::app;

struct Value {
  std::string text;
  const CLI::Option* option = nullptr;
};

// The parsed options of one command: on a deployment, or of a client.
struct ParsedCommand {
  const Command* command = nullptr;
  const mb::cli::ClientCommand* client = nullptr;
  CLI::App* parser = nullptr;
  std::map<std::string, Value> values;
  std::map<std::string, bool> flags;
  std::string dataDirectory;
  bool json = false;

  mb::cli::Arguments arguments() const {
    mb::cli::Arguments out;
    for (const auto& [name, value] : values) {
      if (value.option->count() > 0) out[name] = value.text;
    }
    for (const auto& [name, on] : flags) {
      if (on) out[name] = "true";
    }
    return out;
  }
};

// Groups by name, created with the first command of each.
using Groups = std::map<std::string, CLI::App*>;

constexpr const char* kOnDeployment = "Commands on a deployment";
constexpr const char* kOnProject = "Commands on a project, from your own machine";

// "keys rotate" is the subcommand `rotate` of `keys`. A group may be a command too, which is declared after its own, so
// that these are found first.
CLI::App* parserOf(CLI::App& program, Groups& groups, std::string_view command, std::string_view text,
                   const char* shownIn) {
  const std::string name(command);
  const std::string help(text);
  const size_t blank = name.find(' ');
  if (const auto group = groups.find(name); group != groups.end()) {
    group->second->require_subcommand(0, 1);
    return group->second->description(help);
  }
  if (blank == std::string::npos) return program.add_subcommand(name, help)->group(shownIn);
  const std::string group = name.substr(0, blank);
  CLI::App*& parent = groups[group];
  if (parent == nullptr) {
    parent = program.add_subcommand(group, std::string(groupHelp(group)));
    parent->require_subcommand(1);
    parent->group(shownIn);
  }
  return parent->add_subcommand(name.substr(blank + 1), help);
}

void declareOptions(ParsedCommand& given, const std::vector<mb::cli::Option>& options) {
  using Kind = mb::cli::Option::Kind;
  for (const mb::cli::Option& option : options) {
    const std::string name(option.name);
    const std::string help(option.help);
    if (option.kind == Kind::flag) {
      given.parser->add_flag("--" + name, given.flags[name], help);
      continue;
    }
    if (option.kind == Kind::hidden) continue;
    const bool positional = option.kind == Kind::word || option.kind == Kind::words;
    const std::string shown = positional ? name : "--" + name;
    Value& value = given.values[name];
    CLI::Option* made = given.parser->add_option(shown, value.text, help);
    if (option.kind == Kind::words) made->expected(-1)->join(' ')->type_name("TEXT...");
    if (option.required) made->required();
    value.option = made;
  }
  given.parser->add_flag("--json", given.json, "The result as JSON, progress and failures as JSON lines");
}

void declare(CLI::App& program, Groups& groups, ParsedCommand& given, const Command& command) {
  given.command = &command;
  given.parser = parserOf(program, groups, command.name, command.help, kOnDeployment);
  given.parser->add_option("--data", given.dataDirectory, "Data directory (default: SERVICE_DATA_DIR)");
  declareOptions(given, command.options);
}

void declare(CLI::App& program, Groups& groups, ParsedCommand& given, const mb::cli::ClientCommand& command) {
  given.client = &command;
  given.parser = parserOf(program, groups, command.name, command.help, kOnProject);
  declareOptions(given, command.options);
}

}  // namespace

int main(int argc, char** argv) {
  const mb::api::Version version{kVersion, kCommit, kChartVersion};

  CLI::App program("Manybase: a backend server for many projects", "manybase");
  program.require_subcommand(0, 1);
  const std::string versionLine = fmt::format("manybase {} ({})", version.version, version.commit);
  program.set_version_flag("--version", versionLine, "Print the version and exit");

  CLI::App* serveCommand = program.add_subcommand("serve", "Serve requests (the default command)");
  serveCommand->footer([] {
    return "Settings, from the environment or a .env file in the working directory (name, meaning, [default]):\n" +
           settingsHelp();
  });
  // The vector must not grow: the parser writes into its elements.
  std::vector<ParsedCommand> given(commands().size() + mb::cli::clientCommands().size());
  auto next = given.begin();
  Groups groups;
  for (const Command& command : commands()) declare(program, groups, *next++, command);
  for (const mb::cli::ClientCommand& command : mb::cli::clientCommands()) declare(program, groups, *next++, command);
  CLI::App* versionCommand = program.add_subcommand("version", "Print the version");

  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // --help and --version end here too, with 0.
    return program.exit(error) == 0 ? 0 : 2;
  }
  if (*versionCommand) {
    fmt::print("{}\n", versionLine);
    return 0;
  }
  for (const ParsedCommand& each : given) {
    if (!*each.parser) continue;
    if (each.client != nullptr) return mb::cli::runClient(*each.client, each.arguments(), each.json);
    return runCommand(*each.command, each.dataDirectory, each.arguments(), each.json, version);
  }
  return serve(version);
}
