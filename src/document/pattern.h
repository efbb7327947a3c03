#pragma once

#include "document/filter.h"

namespace mb::doc {

// A pattern in RE2's syntax with MongoDB's options: i (case), m (lines), s (dot takes newlines), x (spaces and comments
// left out). Fails with `code` for what RE2 does not run in linear time, a pattern over 1,000 bytes, or an unknown or
// repeated option.
Result<Pattern> compilePattern(std::string_view source, std::string_view options, ErrorCode code);

}  // namespace mb::doc
