#include "document/keep_fields.h"

#include "document/field_tree.h"

namespace mb::doc {

namespace {

void keepInto(BsonWriter& out, DocumentView view, const FieldTree::Level& level, bool isArray) {
  FieldTree::Level below;
  size_t index = 0;
  for (const Element& element : view) {
    const bool covered =
        isArray ? FieldTree::enterElement(level, element.key, below) : FieldTree::enter(level, element.key, below);
    const bool enters = !below.empty() && element.value.isContainer();
    if (!covered && !enters) continue;
    const std::string_view key = isArray ? arrayKey(index++) : element.key;
    if (covered) {
      out.append(key, element.value);
      continue;
    }
    const bool inArray = element.value.type() == BsonType::array;
    inArray ? out.beginArray(key) : out.beginDocument(key);
    keepInto(out, element.value.asDocument(), below, inArray);
    out.end();
  }
}

}  // namespace

Document keepFields(DocumentView view, const FieldSet& fields) {
  BsonWriter out(view.bytes().size());
  if (!fields.empty()) keepInto(out, view, fields.tree()->top(), false);
  return out.finish();
}

}  // namespace mb::doc
