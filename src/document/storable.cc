#include "document/storable.h"

namespace mb::doc {

namespace {

// The containers around the current position, innermost first.
struct Frame {
  const Frame* parent;
  std::string_view key;
};

std::string pointerTo(const Frame* frame) {
  if (!frame) return "";
  std::string pointer = pointerTo(frame->parent);
  appendPointer(pointer, frame->key);
  return pointer;
}

std::unexpected<Error> refuse(const Frame& at, std::string_view why) {
  std::string pointer = pointerTo(&at);
  std::string message = fmt::format("{} {}", pointer, why);
  return fail(Error(ErrorCode::validation, std::move(message)).withDetail(std::move(pointer), std::string(why)));
}

Result<> check(DocumentView container, bool isArray, const Frame* parent, int depth) {
  for (const Element& element : container) {
    const Frame at{parent, element.key};
    if (!isArray) {
      if (element.key.empty()) return refuse(at, "a field's name must not be empty");
      if (element.key.front() == '$') return refuse(at, "a field's name must not start with \"$\"");
      if (element.key.find('.') != std::string_view::npos) return refuse(at, "a field's name must not hold \".\"");
    }
    if (!element.value.isContainer()) continue;
    if (depth == kMaxNesting) {
      return fail(ErrorCode::validation, fmt::format("a document must be nested at most {} levels deep", kMaxNesting));
    }
    RETURN_IF_ERROR(check(element.value.asDocument(), element.value.type() == BsonType::array, &at, depth + 1));
  }
  return {};
}

}  // namespace

void appendPointer(std::string& pointer, std::string_view key) {
  pointer.push_back('/');
  for (const char c : key) {
    if (c == '~') {
      pointer.append("~0");
    } else if (c == '/') {
      pointer.append("~1");
    } else {
      pointer.push_back(c);
    }
  }
}

Result<> checkStorable(DocumentView document) {
  return check(document, false, nullptr, 1);
}

Result<> checkStorableValue(ValueView value, int depth) {
  if (!value.isContainer()) return {};
  if (depth >= kMaxNesting) {
    return fail(ErrorCode::validation, fmt::format("a document must be nested at most {} levels deep", kMaxNesting));
  }
  return check(value.asDocument(), value.type() == BsonType::array, nullptr, depth + 1);
}

}  // namespace mb::doc
