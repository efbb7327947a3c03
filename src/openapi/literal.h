// JSON literals.
#pragma once

#include "document/json.h"

namespace mb::openapi {

// Parses a JSON object; empty if `json` is not one, which tests detect.
inline doc::Document literal(std::string_view json) {
  auto document = doc::parseJson(json, {.extended = doc::ExtendedJson::refuse});
  return document ? *std::move(document) : doc::Document();
}

// The member `key`, which must exist.
inline doc::ValueView memberOf(doc::DocumentView view, std::string_view key) {
  return view.find(key).value_or(doc::ValueView());
}

}  // namespace mb::openapi
