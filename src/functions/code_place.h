// The position of an error in code, parsed from the message of a check.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mb::functions {

struct CodePlace {
  int line = 0;
  int column = 0;
  std::string_view rest;  // ": Unexpected token"

  // "line 3, column 14: Unexpected token", as if the code began after `before` lines.
  std::string inWords(int before = 0) const;
};

// "3:14: Unexpected token"; nullopt if the message does not begin with a position.
std::optional<CodePlace> placeIn(std::string_view message);

}  // namespace mb::functions
