#include "data/reference_walk.h"

namespace mb::data {
namespace {

// Appends the value without the references; false, and nothing is appended, if it is one itself.
bool copy(doc::BsonWriter& out, std::string_view key, doc::ValueView value, std::string_view rest,
          std::string_view id) {
  if (rest.empty() && value.type() == doc::BsonType::string && value.asString() == id) return false;
  if (value.type() == doc::BsonType::array) {
    out.beginArray(key);
    size_t at = 0;
    for (const doc::Element& each : value.asDocument()) {
      if (copy(out, doc::arrayKey(at), each.value, rest, id)) ++at;
    }
    out.end();
  } else if (value.type() == doc::BsonType::document && !rest.empty()) {
    const auto [step, behind] = firstStep(rest);
    out.beginDocument(key);
    for (const doc::Element& each : value.asDocument()) {
      each.key == step ? static_cast<void>(copy(out, each.key, each.value, behind, id))
                       : out.append(each.key, each.value);
    }
    out.end();
  } else {
    out.append(key, value);
  }
  return true;
}

}  // namespace

doc::Document withoutReference(doc::DocumentView document, std::string_view path, std::string_view id, Timestamp now) {
  const auto [step, behind] = firstStep(path);
  doc::BsonWriter out(document.bytes().size());
  for (const doc::Element& each : document) {
    if (each.key == "updatedAt") {
      out.appendDate(each.key, now);
    } else if (each.key == step) {
      copy(out, each.key, each.value, behind, id);
    } else {
      out.append(each.key, each.value);
    }
  }
  return out.finish();
}

}  // namespace mb::data
