// The options of a command, for the command line's parser and for the check of requests on the command socket.
#pragma once

#include <span>

#include "cli/wire.h"

namespace mb::cli {

struct Option {
  // word: a positional argument, without its name. words: one or more of them, as one value with blanks between them;
  // the last positional argument of a command. hidden: never on the command line, since other users and shell histories
  // can see it; the command prompts for it, and no message repeats it.
  enum class Kind { text, path, flag, word, words, hidden };
  std::string_view name;  // without its dashes
  Kind kind = Kind::text;
  bool required = false;
  std::string_view help;
};

// Checks that each argument is an option of `command`, that flags are "true", paths absolute, and required options
// given. Fails with invalidParam.
Result<> checkArguments(std::string_view command, std::span<const Option> options, const Arguments& arguments);

inline bool has(const Arguments& arguments, const std::string& name) {
  return arguments.contains(name);
}
// "" where the option is absent.
std::string valueOf(const Arguments& arguments, const std::string& name);

}  // namespace mb::cli
