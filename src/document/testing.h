// What the tests of this room share.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "document/json.h"

namespace mb::doc {

// The document that a JSON text stands for.
inline Document fromJson(std::string_view text) {
  auto document = parseJson(text);
  if (!document) {
    ADD_FAILURE() << text << ": " << document.error().message();
    return Document();
  }
  return *std::move(document);
}

inline Value valueFromJson(std::string_view text) {
  auto document = parseJsonValue(text);
  if (!document) {
    ADD_FAILURE() << text << ": " << document.error().message();
    return Value();
  }
  return Value(document->view().begin()->value);
}

}  // namespace mb::doc
