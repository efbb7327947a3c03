#include "document/coercion.h"

namespace mb::doc {

namespace {

void appendCoerced(BsonWriter& out, std::string_view key, const FilterCoercion& coercion, const std::string& path,
                   ValueView given) {
  if (const auto coerced = coercion.coerce(path, given)) {
    out.append(key, *coerced);
    return;
  }
  if (given.type() == BsonType::document) {
    out.beginDocument(key);
    for (const Element& element : given.asDocument()) {
      appendCoerced(out, element.key, coercion, path + "." + std::string(element.key), element.value);
    }
    out.end();
  } else if (given.type() == BsonType::array) {
    out.beginArray(key);
    for (const Element& element : given.asDocument()) {
      appendCoerced(out, element.key, coercion, path, element.value);
    }
    out.end();
  } else {
    out.append(key, given);
  }
}

}  // namespace

Value coerceDeep(const FilterCoercion* coercion, const std::string& path, ValueView given) {
  if (!coercion) return Value(given);
  if (!given.isContainer()) return coercion->coerce(path, given).value_or(Value(given));
  BsonWriter out;
  appendCoerced(out, "", *coercion, path, given);
  const Document wrapped = out.finish();
  return Value(wrapped.view().begin()->value);
}

}  // namespace mb::doc
