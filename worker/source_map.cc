#include "source_map.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

namespace mb::worker {

namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// One base64 VLQ number: five bits per digit, the sign in the lowest bit.
std::optional<int32_t> takeNumber(std::string_view& in) {
  uint32_t value = 0;
  for (int shift = 0; shift < 30; shift += 5) {
    const size_t digit = in.empty() ? std::string_view::npos : kDigits.find(in.front());
    if (digit == std::string_view::npos) return std::nullopt;
    in.remove_prefix(1);
    value |= static_cast<uint32_t>(digit & 31) << shift;
    if ((digit & 32) == 0) {
      const auto magnitude = static_cast<int32_t>(value >> 1);
      return value & 1 ? -magnitude : magnitude;
    }
  }
  return std::nullopt;
}

}  // namespace

SourceMap::SourceMap(std::string_view mappings) {
  uint32_t line = 0;
  // Generated column, source, line, column: each as a difference from the previous one.
  std::array<int32_t, 4> at{};
  while (!mappings.empty()) {
    if (mappings.front() == ';') {
      ++line;
      at[0] = 0;
    }
    if (mappings.front() == ';' || mappings.front() == ',') {
      mappings.remove_prefix(1);
      continue;
    }
    int fields = 0;
    while (!mappings.empty() && mappings.front() != ',' && mappings.front() != ';') {
      const std::optional<int32_t> number = takeNumber(mappings);
      if (!number) return;
      if (fields < 4 && __builtin_add_overflow(at[fields], *number, &at[fields])) return;
      ++fields;
    }
    if (fields < 4) continue;  // code without an original position
    if (at[0] < 0 || at[2] < 0 || at[3] < 0) return;
    segments_.push_back(
        {line, static_cast<uint32_t>(at[0]), static_cast<uint32_t>(at[2]), static_cast<uint32_t>(at[3])});
  }
}

Position SourceMap::original(Position position) const {
  if (position.line == 0 || segments_.empty()) return position;
  const uint32_t line = position.line - 1;
  const uint32_t column = position.column == 0 ? 0 : position.column - 1;
  const auto after = std::upper_bound(
      segments_.begin(), segments_.end(), std::tuple(line, column),
      [](const auto& wanted, const Segment& segment) { return wanted < std::tuple(segment.line, segment.column); });
  if (after == segments_.begin()) return position;
  const Segment& segment = *(after - 1);
  if (segment.line != line) return position;
  return {.line = segment.originalLine + 1, .column = segment.originalColumn + (column - segment.column) + 1};
}

}  // namespace mb::worker
