// Walks through the references of a document: the strings at the path of a relation, through documents by name and
// through all elements of arrays.
#pragma once

#include <string>
#include <string_view>

#include "document/bson.h"
#include "document/storable.h"

namespace mb::data {

// The first step of a dotted path, and the rest.
inline std::pair<std::string_view, std::string_view> firstStep(std::string_view path) {
  const size_t dot = path.find('.');
  if (dot == std::string_view::npos) return {path, {}};
  return {path.substr(0, dot), path.substr(dot + 1)};
}

template <class F>
void eachReferenceIn(doc::ValueView value, std::string_view rest, std::string& pointer, const F& found) {
  if (value.type() == doc::BsonType::string) {
    if (rest.empty()) found(value.asString(), pointer);
    return;
  }
  const size_t length = pointer.size();
  if (value.type() == doc::BsonType::array) {
    for (const doc::Element& each : value.asDocument()) {
      doc::appendPointer(pointer, each.key);
      eachReferenceIn(each.value, rest, pointer, found);
      pointer.resize(length);
    }
    return;
  }
  if (value.type() != doc::BsonType::document || rest.empty()) return;
  const auto [step, behind] = firstStep(rest);
  const auto below = value.asDocument().find(step);
  if (!below) return;
  doc::appendPointer(pointer, step);
  eachReferenceIn(*below, behind, pointer, found);
  pointer.resize(length);
}

// Calls `found(id, pointer)` for each reference at the path, with its JSON pointer in the document.
template <class F>
void eachReference(doc::DocumentView document, std::string_view path, const F& found) {
  std::string pointer;
  eachReferenceIn(doc::ValueView(doc::BsonType::document, document.bytes().data(), document.bytes().size()), path,
                  pointer, found);
}

// The document without its references to `id` at the path: a field is removed, an element leaves its array. `updatedAt`
// becomes `now`.
doc::Document withoutReference(doc::DocumentView document, std::string_view path, std::string_view id, Timestamp now);

}  // namespace mb::data
