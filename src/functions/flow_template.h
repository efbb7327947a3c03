// Splits strings that contain {{ expressions }}.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace mb::functions {

struct TemplatePiece {
  bool isExpression = false;
  std::string_view text;  // of an expression: the text between the braces, trimmed
};

// The pieces in order; none is empty text. Fails with validation if {{ is not closed, or the expression is empty.
// Braces and string literals inside an expression do not close it.
Result<std::vector<TemplatePiece>> splitTemplate(std::string_view text);

}  // namespace mb::functions
