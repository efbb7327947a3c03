// JSON that stands in the source.
#pragma once

#include "document/json.h"

namespace mb::openapi {

// A JSON object as it was written; empty where it is none, which tests see.
inline doc::Document literal(std::string_view json) {
  auto document = doc::parseJson(json, {.extended = doc::ExtendedJson::refuse});
  return document ? *std::move(document) : doc::Document();
}

// A member that is known to be there.
inline doc::ValueView memberOf(doc::DocumentView view, std::string_view key) {
  return view.find(key).value_or(doc::ValueView());
}

}  // namespace mb::openapi
