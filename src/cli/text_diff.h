// Differences between two texts, line by line.
#pragma once

#include <string>
#include <string_view>

namespace mb::cli {

// The hunks of a unified diff with three lines around each, as `diff -u` prints them, without the two lines of names;
// "" where the texts are the same. A last line without its end is marked. Beyond 1,000 lines that differ the whole
// stretch is shown as replaced, which is right but not the shortest.
std::string unifiedDiff(std::string_view before, std::string_view after);

// The same text with the colours of a terminal: removed lines red, added ones green, places cyan.
std::string coloured(std::string_view diff);

}  // namespace mb::cli
