// Strings that hold {{ expressions }}.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace mb::functions {

struct TemplatePiece {
  bool isExpression = false;
  std::string_view text;  // of an expression what stands between the braces, blanks around it aside
};

// In order; no piece is empty text. Fails with validation where {{ is never closed, or holds nothing. Braces and quotes
// inside an expression are its own.
Result<std::vector<TemplatePiece>> splitTemplate(std::string_view text);

}  // namespace mb::functions
