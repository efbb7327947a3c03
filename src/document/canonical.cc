#include "document/canonical.h"

#include <algorithm>

namespace mb::doc {

namespace {

void appendCanonical(BsonWriter& out, std::string_view key, ValueView value) {
  if (value.type() == BsonType::array) {
    out.beginArray(key);
    for (const Element& element : value.asDocument()) appendCanonical(out, element.key, element.value);
    out.end();
  } else if (value.type() == BsonType::document) {
    std::vector<Element> fields;
    for (const Element& element : value.asDocument()) fields.push_back(element);
    std::ranges::sort(fields, {}, &Element::key);
    out.beginDocument(key);
    for (const Element& field : fields) appendCanonical(out, field.key, field.value);
    out.end();
  } else {
    out.append(key, value);
  }
}

}  // namespace

Value canonical(ValueView value) {
  if (!value.isContainer()) return Value(value);
  BsonWriter out;
  appendCanonical(out, "", value);
  const Document document = out.finish();
  return Value(document.view().begin()->value);
}

}  // namespace mb::doc
