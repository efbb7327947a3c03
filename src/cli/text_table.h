// Columns of text for a terminal.
#pragma once

#include <string>
#include <vector>

namespace mb::cli {

// A line for each row, with each column as wide as its longest text in characters, and two spaces between columns. Rows
// may have fewer columns than others.
std::string tableOf(const std::vector<std::vector<std::string>>& rows);

}  // namespace mb::cli
