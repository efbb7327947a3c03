// Values of fields of the server's own documents, or a fallback for a field that is missing or of another type.
#pragma once

#include "document/bson.h"

namespace mb::doc {

// An integral number.
inline int64_t integerOr(DocumentView view, std::string_view key, int64_t fallback = 0) {
  const auto value = view.find(key);
  return value && value->isNumber() ? value->toInteger().value_or(fallback) : fallback;
}

inline bool boolOr(DocumentView view, std::string_view key, bool fallback = false) {
  const auto value = view.find(key);
  return value && value->type() == BsonType::boolean ? value->asBool() : fallback;
}

// A document or array; the empty one as the fallback.
inline DocumentView containerOr(DocumentView view, std::string_view key) {
  const auto value = view.find(key);
  return value && value->isContainer() ? value->asDocument() : DocumentView();
}

}  // namespace mb::doc
