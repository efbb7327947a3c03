#include "openapi/shape_schemas.h"

#include "document/json.h"
#include "openapi/docs.h"
#include "openapi/literal.h"

namespace mb::openapi {

namespace {

using doc::BsonWriter;
using doc::FieldInfo;
using doc::FieldKind;

std::string_view typeOf(FieldKind kind) {
  switch (kind) {
    case FieldKind::string:
    case FieldKind::time:
      return "string";
    case FieldKind::boolean:
      return "boolean";
    case FieldKind::int32:
    case FieldKind::int64:
      return "integer";
    case FieldKind::number:
      return "number";
    case FieldKind::object:
      return "object";
    case FieldKind::anything:
    case FieldKind::shape:
      return "";
  }
  return "";
}

std::string_view formatOf(FieldKind kind) {
  if (kind == FieldKind::time) return "date-time";
  if (kind == FieldKind::int32) return "int32";
  return kind == FieldKind::int64 ? "int64" : "";
}

// The members of one value's schema.
void writeValue(BsonWriter& out, const FieldInfo& field, const std::string& reference, doc::DocumentView more) {
  if (field.kind == FieldKind::shape) out.appendString("$ref", reference);
  if (const auto type = typeOf(field.kind); !type.empty()) out.appendString("type", type);
  if (const auto format = formatOf(field.kind); !format.empty()) out.appendString("format", format);
  out.appendAll(more);
}

// A value, or an array of them.
void writeField(BsonWriter& out, const FieldInfo& field, const std::string& reference, doc::DocumentView more) {
  if (!field.list) return writeValue(out, field, reference, more);
  constexpr std::string_view kOfList = "maxItems";
  BsonWriter ofItems;
  for (const doc::Element& each : more) {
    if (each.key != kOfList) ofItems.append(each.key, each.value);
  }
  out.appendString("type", "array");
  out.beginDocument("items");
  writeValue(out, field, reference, ofItems.finish());
  out.end();
  if (const auto most = more.find(kOfList)) out.append(kOfList, *most);
}

void writeOrNull(BsonWriter& out, const FieldInfo& field, const std::string& reference, doc::DocumentView more) {
  if (field.kind == FieldKind::anything) return;
  out.beginArray("anyOf");
  out.beginDocument("0");
  writeField(out, field, reference, more);
  out.end();
  out.beginDocument("1");
  out.appendString("type", "null");
  out.end();
  out.end();
}

// In a body, the fields that may be null are those that may be omitted.
bool mayBeNull(const FieldInfo& field, Direction direction) {
  return direction == Direction::body ? field.takesNull : field.answersNull;
}

bool isRequired(const FieldInfo& field, Direction direction) {
  return direction == Direction::body ? !field.mayBeAbsent : field.alwaysThere;
}

void writeDocs(BsonWriter& out, const FieldInfo& field, const FieldDoc* doc) {
  if (doc == nullptr) return;
  out.appendString("description", doc->meaning);
  if (field.kind == FieldKind::shape) return;
  const auto example = doc::parseJsonValue(doc->example, {.extended = doc::ExtendedJson::refuse});
  if (!example) return;
  out.beginArray("examples");
  out.append("0", example->view().begin()->value);
  out.end();
}

}  // namespace

ShapeSchemas::ShapeSchemas(std::span<const Operation> operations) {
  for (const Operation& operation : operations) {
    for (const doc::ShapeRef shape : {operation.body.shape, operation.otherBody.shape}) {
      if (shape != nullptr) collect(shape, Direction::body);
    }
    for (const doc::ShapeRef shape : operation.mentions) collect(shape, Direction::response);
    for (const Response& response : operation.responses) {
      if (response.content.shape != nullptr) collect(response.content.shape, Direction::response);
    }
  }
  for (const auto& [shape, direction] : found_) {
    const Direction other = direction == Direction::body ? Direction::response : Direction::body;
    const std::string name(shape().name);
    if (direction == Direction::body && seen_.contains({name, other}) &&
        schemaOf(shape(), direction).bytes() != schemaOf(shape(), other).bytes()) {
      doubled_.insert(name);
    }
  }
  for (const auto& [shape, direction] : found_)
    components_.emplace(nameOf(shape, direction), schemaOf(shape(), direction));
}

void ShapeSchemas::collect(doc::ShapeRef shape, Direction direction) {
  if (!seen_.emplace(std::string(shape().name), direction).second) return;
  found_.emplace_back(shape, direction);
  for (const FieldInfo& field : shape().fields) {
    if (field.shape != nullptr) collect(field.shape, direction);
  }
}

std::string ShapeSchemas::nameOf(doc::ShapeRef shape, Direction direction) const {
  std::string name(shape().name);
  if (direction == Direction::body && doubled_.contains(name)) name += "Input";
  return name;
}

doc::Document ShapeSchemas::schemaOf(const doc::ShapeInfo& shape, Direction direction) const {
  BsonWriter out;
  out.appendString("type", "object");
  out.beginDocument("properties");
  for (const FieldInfo& field : shape.fields) {
    const FieldDoc* doc = fieldDoc(shape.name, field.name);
    doc::Document more;
    if (doc != nullptr && !doc->schema.empty()) {
      if (auto parsed = doc::parseJson(doc->schema, {.extended = doc::ExtendedJson::refuse})) more = *std::move(parsed);
    }
    const std::string reference =
        field.shape == nullptr ? std::string() : std::string(kSchemaRef) + nameOf(field.shape, direction);
    out.beginDocument(field.name);
    writeDocs(out, field, doc);
    if (mayBeNull(field, direction)) {
      writeOrNull(out, field, reference, more);
    } else {
      writeField(out, field, reference, more);
    }
    out.end();
  }
  out.end();
  out.beginArray("required");
  size_t count = 0;
  for (const FieldInfo& field : shape.fields) {
    if (isRequired(field, direction)) out.appendString(doc::arrayKey(count++), field.name);
  }
  out.end();
  if (direction == Direction::body) out.appendBool("additionalProperties", false);
  return out.finish();
}

}  // namespace mb::openapi
