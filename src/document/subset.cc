#include "document/subset.h"

#include <fmt/format.h>

#include "document/json.h"

namespace mb::doc {

namespace {

constexpr size_t kMaxShown = 200;

std::string shown(std::optional<ValueView> value) {
  if (!value) return "not there";
  std::string text;
  writeJsonValue(text, *value);
  if (text.size() <= kMaxShown) return text;
  size_t end = kMaxShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

bool sameScalar(ValueView expected, ValueView actual) {
  if (expected.isNumber() && actual.isNumber()) {
    const auto whole = expected.toInteger();
    const auto other = actual.toInteger();
    return whole && other ? *whole == *other : expected.toReal() == actual.toReal();
  }
  std::string left, right;
  writeJsonValue(left, expected);
  writeJsonValue(right, actual);
  return left == right;
}

std::optional<std::string> mismatchOfArray(const std::string& path, DocumentView expected, DocumentView actual) {
  const size_t wanted = expected.count();
  const size_t there = actual.count();
  if (wanted != there) return fmt::format("{} has {} elements, not {}", path, there, wanted);
  auto element = actual.begin();
  for (const auto& [key, value] : expected) {
    if (auto wrong = mismatch(fmt::format("{}.{}", path, key), value, element->value)) return wrong;
    ++element;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> mismatch(const std::string& path, ValueView expected, std::optional<ValueView> actual) {
  const bool absent = !actual || actual->type() == BsonType::null;
  if (expected.type() == BsonType::null && absent) return std::nullopt;
  if (actual && expected.isContainer() && expected.type() == actual->type()) {
    if (expected.type() == BsonType::array) return mismatchOfArray(path, expected.asDocument(), actual->asDocument());
    for (const auto& [key, value] : expected.asDocument()) {
      if (auto wrong = mismatch(fmt::format("{}.{}", path, key), value, actual->asDocument().find(key))) return wrong;
    }
    return std::nullopt;
  }
  const bool same = actual && !expected.isContainer() && !actual->isContainer() && sameScalar(expected, *actual);
  if (same) return std::nullopt;
  return fmt::format("{} is {}, not {}", path, shown(actual), shown(expected));
}

}  // namespace mb::doc
