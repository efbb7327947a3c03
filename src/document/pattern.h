#pragma once

#include "document/filter.h"

namespace mb::doc {

// Compiles a pattern in RE2's syntax with MongoDB's options: i (ignore case), m (lines), s (dot matches newlines), x
// (ignore spaces and comments). Fails with `code` for syntax that RE2 cannot run in linear time, a pattern over 1,000
// bytes, or an unknown or repeated option. Charges the thread's WorkBudget.
Result<Pattern> compilePattern(std::string_view source, std::string_view options, ErrorCode code);

// Compiles a pattern without options. Fails with `code` as above, but not for the length of its source.
Result<std::shared_ptr<const re2::RE2>> compileProgram(std::string_view source, bool caseSensitive,
                                                       bool dotMatchesLines, ErrorCode code);

// Whether a part of `text` matches. Charges the thread's WorkBudget; false once that is used up. A match for which RE2
// needs its slow matcher is not started if the budget does not cover it.
bool matchesProgram(const re2::RE2& compiled, std::string_view text);

// Instructions of the compiled pattern: proportional to the time of compiling, and of a slow match per byte.
int programSize(const Pattern& pattern);

}  // namespace mb::doc
