// What a command takes, for the command line's parser and for the check of what came over the command socket.
#pragma once

#include <span>

#include "cli/wire.h"

namespace mb::cli {

struct Option {
  // word: given by its place, without the name. hidden: never on the command line, since lines are seen by others and
  // kept in histories; the command asks for it, and no message repeats it.
  enum class Kind { text, path, flag, word, hidden };
  std::string_view name;  // without its dashes
  Kind kind = Kind::text;
  bool required = false;
  std::string_view help;
};

// Each argument is an option of `command`, flags are "true", paths absolute, and what is required is there. Fails with
// invalidParam.
Result<> checkArguments(std::string_view command, std::span<const Option> options, const Arguments& arguments);

inline bool has(const Arguments& arguments, const std::string& name) {
  return arguments.contains(name);
}
// "" where it was not given.
std::string valueOf(const Arguments& arguments, const std::string& name);

}  // namespace mb::cli
