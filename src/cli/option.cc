#include "cli/option.h"

namespace mb::cli {

namespace {

std::string shownName(const Option& option) {
  switch (option.kind) {
    case Option::Kind::word:
    case Option::Kind::words:
      return "the " + std::string(option.name);
    case Option::Kind::hidden:
      return "a " + std::string(option.name);
    default:
      return "--" + std::string(option.name);
  }
}

}  // namespace

Result<> checkArguments(std::string_view command, std::span<const Option> options, const Arguments& arguments) {
  for (const auto& [name, value] : arguments) {
    const auto option =
        std::find_if(options.begin(), options.end(), [&](const Option& each) { return each.name == name; });
    if (option == options.end()) {
      return fail(ErrorCode::invalidParam, fmt::format("{} has no option --{}", command, name));
    }
    const bool wrong = option->kind == Option::Kind::flag   ? value != "true"
                       : option->kind == Option::Kind::path ? !value.starts_with('/')
                                                            : value.empty();
    if (!wrong && value.find('\0') == std::string::npos) continue;
    if (option->kind == Option::Kind::hidden) {
      return fail(ErrorCode::invalidParam,
                  fmt::format("the {} must be text that is not empty and holds no NUL character", name));
    }
    return fail(ErrorCode::invalidParam, fmt::format("{} cannot be \"{}\"", shownName(*option), value));
  }
  for (const Option& option : options) {
    if (!option.required || arguments.contains(std::string(option.name))) continue;
    return fail(ErrorCode::invalidParam, fmt::format("{} needs {}", command, shownName(option)));
  }
  return {};
}

std::string valueOf(const Arguments& arguments, const std::string& name) {
  const auto found = arguments.find(name);
  return found == arguments.end() ? "" : found->second;
}

}  // namespace mb::cli
