#include "openapi/collection_schemas.h"

#include <algorithm>

#include "document/field_set.h"
#include "document/schema.h"
#include "openapi/literal.h"

namespace mb::openapi {

namespace {

using doc::BsonType;
using doc::BsonWriter;
using doc::DocumentView;

constexpr std::string_view kServerFields = R"({
  "id": {"type": "string", "description": "The document's id: the server's, or the one given at creation.",
         "pattern": "^[A-Za-z0-9_-]{1,64}$", "examples": ["06fVx3jmA1qK9bTzLw2C"]},
  "createdAt": {"type": "string", "format": "date-time", "description": "When it was created, by the server's clock.",
                "examples": ["2026-01-31T09:30:00.000Z"]},
  "updatedAt": {"type": "string", "format": "date-time", "description": "When it last changed, by the server's clock.",
                "examples": ["2026-01-31T09:30:00.000Z"]},
  "ownerId": {"type": "string", "description": "The creator: an end user, a member or an API key.",
              "examples": ["user_06fVx3jmA1qK9bTzLw2C"]}
})";

constexpr std::string_view kGeneralDocument = R"({
  "type": "object", "description": "A document: the server's fields and its own.",
  "examples": [{"id": "06fVx3jmA1qK9bTzLw2C", "createdAt": "2026-01-31T09:30:00.000Z",
                "updatedAt": "2026-01-31T09:30:00.000Z", "ownerId": "user_06fVx3jmA1qK9bTzLw2C", "title": "Buy milk"}]
})";

constexpr std::string_view kGeneralNew = R"({
  "type": "object",
  "description": "The fields of a document, by the collection's schema where it has one. An id of your own makes retries safe: a second creation is 409. Extended JSON gives other types ({\"$date\": \"2026-01-31T09:30:00Z\"}).",
  "examples": [{"title": "Buy milk", "stars": 2}]
})";

constexpr std::string_view kGeneralPatch = R"({
  "type": "object",
  "description": "Fields to set; or update operators ($set, $unset, $inc, $mul, $min, $max, $rename, $currentDate, $push, $pull, $pullAll, $addToSet, $pop, $bit), where each key begins with $.",
  "examples": [{"title": "Buy bread"}]
})";

doc::Document withServerFields(std::string_view general) {
  const doc::Document source = literal(general);
  const doc::Document server = literal(kServerFields);
  BsonWriter out;
  out.appendAll(source);
  out.appendDocument("properties", server);
  return out.finish();
}

std::optional<DocumentView> objectAt(DocumentView schema, std::string_view key) {
  const auto value = schema.find(key);
  if (!value || value->type() != BsonType::document) return std::nullopt;
  return value->asDocument();
}

// A response may hold the referenced document instead of the reference (`expand`).
void writeResponseField(BsonWriter& out, const doc::Element& property) {
  const DocumentView schema = property.value.asDocument();
  const auto items = objectAt(schema, "items");
  const bool one = schema.find("x-ref").has_value();
  const bool many = items && items->find("x-ref");
  if (!one && !many) {
    out.append(property.key, property.value);
    return;
  }
  const auto writeEither = [&](std::string_view key, DocumentView reference) {
    out.beginDocument(key);
    out.beginArray("anyOf");
    out.appendDocument("0", reference);
    out.beginDocument("1");
    out.appendString("type", "object");
    out.appendString("description", "The document itself, if `expand` names the field.");
    out.end();
    out.end();
    out.end();
  };
  if (one) {
    writeEither(property.key, schema);
    return;
  }
  out.beginDocument(property.key);
  for (const doc::Element& member : schema) {
    if (member.key != "items") out.append(member.key, member.value);
  }
  writeEither("items", *items);
  out.end();
}

bool isServerField(std::string_view name) {
  return name == "id" || name == "createdAt" || name == "updatedAt" || name == "ownerId";
}

void writeProperties(BsonWriter& out, DocumentView schema, const doc::FieldSet& hidden, bool isResponse) {
  const auto properties = objectAt(schema, "properties");
  if (!properties) return;
  for (const doc::Element& property : *properties) {
    if (isServerField(property.key) || hidden.touches(property.key)) continue;
    if (property.value.type() != BsonType::document) continue;
    isResponse ? writeResponseField(out, property) : out.append(property.key, property.value);
  }
}

bool hasDefault(DocumentView schema, std::string_view field) {
  const auto properties = objectAt(schema, "properties");
  const auto property = properties ? objectAt(*properties, field) : std::nullopt;
  return property && property->find("default");
}

std::vector<std::string> requiredOf(DocumentView schema) {
  std::vector<std::string> names;
  const auto required = schema.find("required");
  if (!required || required->type() != BsonType::array) return names;
  for (const doc::Element& name : required->asDocument()) {
    if (name.value.type() == BsonType::string) names.emplace_back(name.value.asString());
  }
  return names;
}

void writeNames(BsonWriter& out, std::string_view key, const std::vector<std::string>& names) {
  out.beginArray(key);
  for (size_t i = 0; i < names.size(); ++i) out.appendString(doc::arrayKey(i), names[i]);
  out.end();
}

void writeWords(BsonWriter& out, DocumentView schema) {
  for (const std::string_view word : {"title", "description"}) {
    if (const auto text = schema.find(word)) out.append(word, *text);
  }
}

doc::Document responseOf(const CollectionFacts& collection) {
  const doc::FieldSet hidden(collection.hidden);
  BsonWriter out;
  out.appendString("type", "object");
  writeWords(out, collection.schema);
  const doc::Document server = literal(kServerFields);
  out.beginDocument("properties");
  for (const doc::Element& field : server.view()) {
    if (!hidden.touches(field.key)) out.append(field.key, field.value);
  }
  writeProperties(out, collection.schema, hidden, true);
  out.end();
  std::vector<std::string> required;
  for (const std::string_view name : {"id", "createdAt", "updatedAt"}) {
    if (!hidden.touches(name)) required.emplace_back(name);
  }
  for (std::string& name : requiredOf(collection.schema)) {
    if (!isServerField(name) && !hidden.touches(name)) required.push_back(std::move(name));
  }
  writeNames(out, "required", required);
  return out.finish();
}

doc::Document bodyOf(const CollectionFacts& collection) {
  BsonWriter out;
  const DocumentView schema = collection.schema;
  for (const doc::Element& member : schema) {
    if (member.key != "properties" && member.key != "required" && member.key != "type")
      out.append(member.key, member.value);
  }
  out.appendString("type", "object");
  const doc::Document server = literal(kServerFields);
  out.beginDocument("properties");
  out.append("id", memberOf(server, "id"));
  writeProperties(out, schema, {}, false);
  out.end();
  std::vector<std::string> required = requiredOf(schema);
  std::erase_if(required, [&](const std::string& name) { return isServerField(name) || hasDefault(schema, name); });
  writeNames(out, "required", required);
  return out.finish();
}

doc::Document patchOf(const CollectionFacts& collection) {
  const doc::Document general = literal(kGeneralPatch);
  BsonWriter out;
  out.appendString("type", "object");
  out.append("description", memberOf(general, "description"));
  out.beginDocument("properties");
  writeProperties(out, collection.schema, {}, false);
  out.beginDocument("$set");
  out.appendString("type", "object");
  out.end();
  out.beginDocument("$unset");
  out.appendString("type", "object");
  out.end();
  out.beginDocument("$inc");
  out.appendString("type", "object");
  out.end();
  out.end();
  return out.finish();
}

std::string named(std::string_view general, const CollectionFacts& collection) {
  return std::string(general) + "." + collection.name;
}

// Adds an example, if one can be generated that the collection accepts.
doc::Document withExample(doc::Document schema, const std::optional<doc::Value>& example) {
  if (!example) return schema;
  BsonWriter out;
  for (const doc::Element& member : schema.view()) {
    if (member.key != "examples") out.append(member.key, member.value);
  }
  out.beginArray("examples");
  out.append("0", *example);
  out.end();
  return out.finish();
}

std::optional<doc::Value> acceptedBy(DocumentView source, std::optional<doc::Value> example) {
  if (!example || example->type() != BsonType::document) return std::nullopt;
  if (source.empty()) return example;
  const auto schema = doc::Schema::compile(source);
  if (!schema || !(*schema)->validate(example->view().asDocument()).empty()) return std::nullopt;
  return example;
}

// The first of the collection's own fields, for the example of a change.
std::optional<doc::Value> firstField(const std::optional<doc::Value>& whole) {
  if (!whole) return std::nullopt;
  for (const doc::Element& field : whole->view().asDocument()) {
    if (isServerField(field.key)) continue;
    BsonWriter out;
    out.beginDocument("");
    out.append(field.key, field.value);
    out.end();
    return doc::Value(out.finish().view().begin()->value);
  }
  return std::nullopt;
}

}  // namespace

void addGeneralDocuments(Components& components) {
  components.insert_or_assign(std::string(kDocument), withServerFields(kGeneralDocument));
  components.insert_or_assign(std::string(kNewDocument), literal(kGeneralNew));
  components.insert_or_assign(std::string(kDocumentPatch), literal(kGeneralPatch));
}

void addDocumentsOf(const CollectionFacts& collection, Components& components) {
  doc::Document body = bodyOf(collection);
  const auto example = acceptedBy(collection.schema, exampleOf(body, components));
  doc::Document response = responseOf(collection);
  const auto responseExample = exampleOf(response, components);
  components.insert_or_assign(named(kDocument, collection), withExample(std::move(response), responseExample));
  components.insert_or_assign(named(kNewDocument, collection), withExample(std::move(body), example));
  components.insert_or_assign(named(kDocumentPatch, collection), withExample(patchOf(collection), firstField(example)));
}

}  // namespace mb::openapi
