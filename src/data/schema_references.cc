#include "data/schema_references.h"

#include <set>

namespace mb::data {
namespace {

using Rename = std::function<std::string(std::string_view)>;

// What stands under a keyword: schemas are walked, values (enum, const, default) are left as they are.
enum class Holds { value, schema, schemasByName, listOfSchemas };
Holds holds(std::string_view keyword, doc::BsonType type) {
  const bool object = type == doc::BsonType::document;
  if (keyword == "properties" || keyword == "patternProperties") return object ? Holds::schemasByName : Holds::value;
  if (keyword == "items" || keyword == "additionalProperties" || keyword == "not") {
    return object ? Holds::schema : Holds::value;
  }
  if (keyword == "allOf" || keyword == "anyOf" || keyword == "oneOf") {
    return type == doc::BsonType::array ? Holds::listOfSchemas : Holds::value;
  }
  return Holds::value;
}

void copySchema(doc::BsonWriter& out, doc::DocumentView schema, const Rename& rename);

void copySchemas(doc::BsonWriter& out, doc::DocumentView schemas, const Rename& rename) {
  for (const doc::Element& each : schemas) {
    if (each.value.type() != doc::BsonType::document) {
      out.append(each.key, each.value);
      continue;
    }
    out.beginDocument(each.key);
    copySchema(out, each.value.asDocument(), rename);
    out.end();
  }
}

void copySchema(doc::BsonWriter& out, doc::DocumentView schema, const Rename& rename) {
  for (const auto& [keyword, value] : schema) {
    if (keyword == "x-ref" && value.type() == doc::BsonType::string) {
      out.appendString(keyword, rename(value.asString()));
      continue;
    }
    switch (holds(keyword, value.type())) {
      case Holds::value:
        out.append(keyword, value);
        break;
      case Holds::schema:
        out.beginDocument(keyword);
        copySchema(out, value.asDocument(), rename);
        out.end();
        break;
      case Holds::schemasByName:
        out.beginDocument(keyword);
        copySchemas(out, value.asDocument(), rename);
        out.end();
        break;
      case Holds::listOfSchemas:
        out.beginArray(keyword);
        copySchemas(out, value.asDocument(), rename);
        out.end();
        break;
    }
  }
}

}  // namespace

doc::Document renameReferences(doc::DocumentView schema, const Rename& rename) {
  doc::BsonWriter out;
  copySchema(out, schema, rename);
  return out.finish();
}

std::vector<std::string> referencedCollections(doc::DocumentView schema) {
  std::set<std::string> names;
  renameReferences(schema, [&](std::string_view name) { return *names.emplace(name).first; });
  return {names.begin(), names.end()};
}

}  // namespace mb::data
