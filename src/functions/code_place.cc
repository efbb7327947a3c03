#include "functions/code_place.h"

#include <fmt/format.h>

#include <charconv>

namespace mb::functions {

std::string CodePlace::inWords(int before) const {
  return fmt::format("line {}, column {}{}", line - before, column, rest);
}

std::optional<CodePlace> placeIn(std::string_view message) {
  const char* const end = message.data() + message.size();
  CodePlace place;
  const auto [colon, noLine] = std::from_chars(message.data(), end, place.line);
  if (noLine != std::errc{} || colon == end || *colon != ':') return std::nullopt;
  const auto [behind, noColumn] = std::from_chars(colon + 1, end, place.column);
  if (noColumn != std::errc{}) return std::nullopt;
  place.rest = std::string_view(behind, end);
  return place;
}

}  // namespace mb::functions
