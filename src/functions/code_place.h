// Where something is wrong with code, as a check of it says.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mb::functions {

struct CodePlace {
  int line = 0;
  int column = 0;
  std::string_view rest;  // ": Unexpected token"

  // "line 3, column 14: Unexpected token", as if the code began behind `before` lines.
  std::string inWords(int before = 0) const;
};

// "3:14: Unexpected token"; nullopt for what does not begin with a place.
std::optional<CodePlace> placeIn(std::string_view message);

}  // namespace mb::functions
