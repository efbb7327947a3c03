#include "data/schema_references.h"

#include <set>

#include "data/reference_rules.h"
#include "document/schema.h"
#include "document/storable.h"

namespace mb::data {
namespace {

using Visit = std::function<std::string(const std::string& path, std::string_view name)>;

// The kind of value under a keyword: schemas are walked, values (enum, const, default) are not.
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

std::string below(std::string path, std::string_view key) {
  doc::appendPointer(path, key);
  return path;
}

// Copies the x-ref with another name of the collection.
void copyReference(doc::BsonWriter& out, doc::ValueView reference, const std::string& name) {
  if (reference.type() == doc::BsonType::string) return out.appendString("x-ref", name);
  out.beginDocument("x-ref");
  for (const auto& [key, value] : reference.asDocument()) {
    key == "collection" ? out.appendString(key, name) : out.append(key, value);
  }
  out.end();
}

void copySchema(doc::BsonWriter& out, doc::DocumentView schema, const std::string& path, const Visit& visit);

void copySchemas(doc::BsonWriter& out, doc::DocumentView schemas, const std::string& path, const Visit& visit) {
  for (const doc::Element& each : schemas) {
    if (each.value.type() != doc::BsonType::document) {
      out.append(each.key, each.value);
      continue;
    }
    out.beginDocument(each.key);
    copySchema(out, each.value.asDocument(), below(path, each.key), visit);
    out.end();
  }
}

void copySchema(doc::BsonWriter& out, doc::DocumentView schema, const std::string& path, const Visit& visit) {
  for (const auto& [keyword, value] : schema) {
    const std::string at = below(path, keyword);
    if (keyword == "x-ref" && !doc::referencedCollection(value).empty()) {
      const std::string name = visit(at, doc::referencedCollection(value));
      if (!name.empty()) copyReference(out, value, name);
      continue;
    }
    switch (holds(keyword, value.type())) {
      case Holds::value:
        out.append(keyword, value);
        break;
      case Holds::schema:
        out.beginDocument(keyword);
        copySchema(out, value.asDocument(), at, visit);
        out.end();
        break;
      case Holds::schemasByName:
        out.beginDocument(keyword);
        copySchemas(out, value.asDocument(), at, visit);
        out.end();
        break;
      case Holds::listOfSchemas:
        out.beginArray(keyword);
        copySchemas(out, value.asDocument(), at, visit);
        out.end();
        break;
    }
  }
}

}  // namespace

doc::Document renameReferences(doc::DocumentView schema, const std::function<std::string(std::string_view)>& rename) {
  doc::BsonWriter out;
  copySchema(out, schema, "", [&](const std::string&, std::string_view name) { return rename(name); });
  return out.finish();
}

std::vector<SchemaReference> schemaReferences(doc::DocumentView schema) {
  std::vector<SchemaReference> references;
  doc::BsonWriter unused;
  copySchema(unused, schema, "", [&](const std::string& path, std::string_view name) {
    references.push_back({path, std::string(name)});
    return std::string(name);
  });
  return references;
}

std::vector<std::string> referencedCollections(doc::DocumentView schema) {
  std::set<std::string> names;
  for (SchemaReference& each : schemaReferences(schema)) names.insert(std::move(each.collection));
  return {names.begin(), names.end()};
}

Result<> checkReferences(doc::DocumentView schema, const std::function<bool(const std::string& collection)>& exists) {
  std::vector<ErrorDetail> details;
  for (const SchemaReference& each : schemaReferences(schema)) {
    if (each.collection == kEndUsers || exists(each.collection)) continue;
    details.push_back(
        {each.path, fmt::format("refers to \"{}\", which is not a collection: create it first", each.collection)});
  }
  return refuseProblems(std::move(details));
}

}  // namespace mb::data
