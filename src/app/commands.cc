#include "app/command.h"

namespace mb::app {

namespace {

using Kind = Option::Kind;

std::vector<Command> all() {
  return {
      {.name = "check",
       .help = "Check the whole store for consistency",
       .options = {},
       .exclusive = true,
       .run = check,
       .alone = nullptr},
      {.name = "backup",
       .help = "Back up the whole deployment, or one project, while the server runs or not",
       .options = {{"to", Kind::path, true,
                    "Directory of the backup; where it exists, the backup becomes a new directory in it"},
                   {"project", Kind::text, false, "Only this project (id or slug)"},
                   {"with-secret", Kind::flag, false,
                    "Put the deployment's secret into the backup: whoever has it then reads every sealed secret"}},
       .exclusive = true,
       .run = backup,
       .alone = nullptr},
      {.name = "restore",
       .help = "Restore a backup into an empty data directory, or one project into a deployment",
       .options = {{"from", Kind::path, true, "Directory of the backup"},
                   {"project", Kind::text, false, "Only this project (id or slug), into the deployment at --data"},
                   {"as", Kind::text, false, "With --project: as a new project with this slug"},
                   {"owner", Kind::text, false,
                    "With --project: e-mail address of the account that owns it, where no owner of old has one here"}},
       .exclusive = true,
       .run = restoreProject,
       .alone = restoreAll},
      {.name = "compact",
       .help = "Rewrite the store's files without what was removed",
       .options = {{"project", Kind::text, false, "Only this project (id or slug)"}},
       .exclusive = true,
       .run = compact,
       .alone = nullptr},
  };
}

}  // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> made = all();
  return made;
}

const Command* findCommand(std::string_view name) {
  const auto found =
      std::find_if(commands().begin(), commands().end(), [&](const Command& command) { return command.name == name; });
  return found == commands().end() ? nullptr : &*found;
}

Result<> checkArguments(const Command& command, const cli::Arguments& arguments) {
  for (const auto& [name, value] : arguments) {
    const auto option = std::find_if(command.options.begin(), command.options.end(),
                                     [&](const Option& each) { return each.name == name; });
    if (option == command.options.end()) {
      return fail(ErrorCode::invalidParam, fmt::format("{} has no option --{}", command.name, name));
    }
    const bool wrong = option->kind == Kind::flag   ? value != "true"
                       : option->kind == Kind::path ? !value.starts_with('/')
                                                    : value.empty();
    if (wrong || value.find('\0') != std::string::npos) {
      return fail(ErrorCode::invalidParam, fmt::format("--{} cannot be \"{}\"", name, value));
    }
  }
  for (const Option& option : command.options) {
    if (!option.required || arguments.contains(std::string(option.name))) continue;
    return fail(ErrorCode::invalidParam, fmt::format("{} needs --{}", command.name, option.name));
  }
  return {};
}

std::string valueOf(const cli::Arguments& arguments, const std::string& name) {
  const auto found = arguments.find(name);
  return found == arguments.end() ? "" : found->second;
}

}  // namespace mb::app
