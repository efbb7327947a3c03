#include "introspection/inferred_schema.h"

#include <algorithm>

namespace mb::introspection {

namespace {

// The server writes these itself, in its own types.
constexpr std::array<std::string_view, 4> kServerFields = {"id", "ownerId", "createdAt", "updatedAt"};

struct TypeForm {
  FieldType type;
  std::string_view form;  // of x-bson
};
constexpr std::array<TypeForm, 4> kForms = {{
    {FieldType::date, "date"},
    {FieldType::objectId, "objectId"},
    {FieldType::decimal, "decimal"},
    {FieldType::binary, "binary"},
}};

// What a node's values are in a schema; without types: anything.
struct ValueTypes {
  std::vector<std::string_view> types;
  std::string_view form;
};

ValueTypes typesOf(const PathNode& node) {
  if (node.hasOthers) return {};
  std::vector<std::string_view> types;
  const auto add = [&](bool seen, std::string_view type) {
    if (seen) types.push_back(type);
  };
  add(node.has(FieldType::string), "string");
  const bool hasReal = node.has(FieldType::real);
  add(hasReal, "number");
  add(!hasReal && (node.has(FieldType::int32) || node.has(FieldType::int64)), "integer");
  add(node.has(FieldType::boolean), "boolean");
  add(node.has(FieldType::document), "object");
  add(node.has(FieldType::array), "array");
  std::string_view form;
  size_t forms = 0;
  for (const TypeForm& each : kForms) {
    if (!node.has(each.type)) continue;
    form = each.form;
    ++forms;
  }
  // A value with a form and another one have no schema in common.
  if (forms > 1 || (forms == 1 && !types.empty())) return {};
  if (forms == 1) types.push_back("string");
  add(node.has(FieldType::null), "null");
  return {std::move(types), form};
}

class SchemaWriter {
 public:
  SchemaWriter(const PathNode& root, const PathList& paths) : root_(root), paths_(paths) {}

  doc::Document whole() {
    out_.appendString("type", "object");
    fields(root_);
    return out_.finish();
  }

 private:
  bool isListed(const PathNode& parent, std::string_view name, const PathNode& child) const {
    const bool isServers = &parent == &root_ && std::ranges::find(kServerFields, name) != kServerFields.end();
    return !isServers && paths_.holds(child);
  }

  // The properties of an object, and which are required.
  void fields(const PathNode& node) {
    if (node.folds) return;
    std::vector<std::string_view> required;
    out_.beginDocument("properties");
    for (const auto& [name, child] : node.children) {
      if (!isListed(node, name, *child)) continue;
      out_.beginDocument(name);
      value(*child);
      out_.end();
      const bool isInAll = child->documents == root_.documents && child->holders == node.objects;
      if (isInAll && root_.documents >= kMinSampleForRequired) required.push_back(name);
    }
    out_.end();
    if (required.empty()) return;
    out_.beginArray("required");
    for (size_t i = 0; i < required.size(); ++i) out_.appendString(doc::arrayKey(i), required[i]);
    out_.end();
  }

  void value(const PathNode& node) {
    const ValueTypes types = typesOf(node);
    if (types.types.size() == 1) {
      out_.appendString("type", types.types.front());
    } else if (!types.types.empty()) {
      out_.beginArray("type");
      for (size_t i = 0; i < types.types.size(); ++i) out_.appendString(doc::arrayKey(i), types.types[i]);
      out_.end();
    }
    if (!types.form.empty()) out_.appendString("x-bson", types.form);
    if (types.types.empty()) return;
    if (node.has(FieldType::document)) fields(node);
    if (!node.has(FieldType::array) || !node.items || !paths_.holds(*node.items)) return;
    out_.beginDocument("items");
    value(*node.items);
    out_.end();
  }

  const PathNode& root_;
  const PathList& paths_;
  doc::BsonWriter out_;
};

}  // namespace

doc::Document inferredSchema(const SampledFields& fields, const PathList& paths) {
  return SchemaWriter(fields.root(), paths).whole();
}

}  // namespace mb::introspection
