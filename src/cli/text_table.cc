#include "cli/text_table.h"

#include <algorithm>

namespace mb::cli {

namespace {

// The characters of UTF-8 text: its bytes without the continuation bytes.
size_t charactersIn(const std::string& text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return (static_cast<uint8_t>(c) >> 6) != 2; }));
}

}  // namespace

std::string tableOf(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], charactersIn(row[i]));
  }
  std::string out;
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      out += row[i];
      if (i + 1 < row.size()) out.append(widths[i] - charactersIn(row[i]) + 2, ' ');
    }
    out += '\n';
  }
  return out;
}

std::string withSeparators(int64_t number) {
  std::string out = std::to_string(number);
  const size_t first = number < 0 ? 1 : 0;
  for (size_t at = out.size(); at > first + 3;) {
    at -= 3;
    out.insert(at, ",");
  }
  return out;
}

}  // namespace mb::cli
