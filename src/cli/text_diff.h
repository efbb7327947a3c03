// Differences between two texts, line by line.
#pragma once

#include <string>
#include <string_view>

namespace mb::cli {

// The hunks of a unified diff with three lines of context, as `diff -u` prints them, without the two lines of names; ""
// where the texts are the same. A last line without newline is marked. Beyond 1,000 differing lines the whole range is
// shown as replaced: correct, but not the shortest diff.
std::string unifiedDiff(std::string_view before, std::string_view after);

// The same text with the colours of a terminal: removed lines red, added ones green, positions cyan.
std::string coloured(std::string_view diff);

}  // namespace mb::cli
