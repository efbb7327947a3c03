#pragma once

#include "document/filter.h"

namespace mb::doc {

// A pattern in RE2's syntax with MongoDB's options: i (case), m (lines), s (dot takes newlines), x (spaces and comments
// left out). Fails with `code` for what RE2 does not run in linear time, a pattern over 1,000 bytes, or an unknown or
// repeated option. What it took is charged to the thread's WorkBudget.
Result<Pattern> compilePattern(std::string_view source, std::string_view options, ErrorCode code);

// A pattern without options, which fails with `code` as above but for the length of its source.
Result<std::shared_ptr<const re2::RE2>> compileProgram(std::string_view source, bool caseSensitive,
                                                       bool dotMatchesLines, ErrorCode code);

// Whether a part of `text` matches. Charged to the thread's WorkBudget; false once that is used up, and then without
// having matched. A match that RE2 can make only with its slow matcher does not begin where it cannot be paid.
bool matchesProgram(const re2::RE2& compiled, std::string_view text);

// Instructions of the compiled pattern: how long compiling takes, and a slow match for each byte.
int programSize(const Pattern& pattern);

}  // namespace mb::doc
