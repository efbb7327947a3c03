#include "document/schema.h"

#include <algorithm>

#include "base/work_budget.h"
#include "document/schema_node.h"
#include "document/traverse.h"

namespace mb::doc {

namespace {

constexpr size_t kMaxBreaches = 100;

ValueView asValue(DocumentView document) {
  return {BsonType::document, document.bytes().data(), document.bytes().size()};
}

// Removes and returns the first step of a dotted path.
std::string_view takeStep(std::string_view& dotted) {
  const size_t dot = dotted.find('.');
  const std::string_view step = dotted.substr(0, dot);
  dotted = dot == std::string_view::npos ? std::string_view() : dotted.substr(dot + 1);
  return step;
}

std::optional<Value> coerceDate(ValueView given) {
  return given.type() == BsonType::string ? convertTo(BsonForm::date, given) : std::nullopt;
}

class ServerDates final : public FilterCoercion {
 public:
  std::optional<Value> coerce(std::string_view path, ValueView given) const override {
    return isServerDate(path) ? coerceDate(given) : std::nullopt;
  }
};

// What a schema says about the values at a dotted path.
struct PathSchema {
  const SchemaNode* node = nullptr;  // null if no subschema describes them
  bool isDeclared = false;
};

PathSchema findNode(const SchemaNode& root, std::string_view dotted) {
  const SchemaNode* node = &root;
  while (!dotted.empty()) {
    const std::string_view step = takeStep(dotted);
    // Positions may be omitted, and arrays may be nested.
    bool isPosition = false;
    while (node->items && !isPosition && !node->property(step)) {
      node = node->items.get();
      isPosition = isAllDigits(step);
    }
    if (isPosition) continue;
    if (const SchemaNode* below = node->fieldNode(step)) {
      node = below;
      continue;
    }
    const bool isOpen = node->types == 0 || (node->types & (json_type::object | json_type::array)) != 0;
    return {nullptr, isOpen && !node->isClosed};
  }
  return {node, true};
}

class SchemaCoercion final : public FilterCoercion {
 public:
  explicit SchemaCoercion(const SchemaNode& root) : root_(root) {}

  std::optional<Value> coerce(std::string_view path, ValueView given) const override {
    if (isServerDate(path)) return coerceDate(given);
    if (!root_.hasForms) return std::nullopt;
    const SchemaNode* node = findNode(root_, path).node;
    // A condition on an array applies to its elements.
    while (node && node->form == BsonForm::none) node = node->items.get();
    if (!node || given.isContainer() || given.type() == typeOf(node->form)) return std::nullopt;
    return convertTo(node->form, given);
  }

 private:
  const SchemaNode& root_;
};

// The CEL type of values of a form.
std::string_view typeOfForm(BsonForm form) {
  switch (form) {
    case BsonForm::date:
      return "timestamp";
    case BsonForm::objectId:
      return "string";
    case BsonForm::decimal:
      return "double";
    case BsonForm::binary:
      return "bytes";
    case BsonForm::none:
      break;
  }
  return "dyn";
}

}  // namespace

void SchemaNode::indexProperties() {
  // For a few names a linear search is faster than hashing.
  constexpr size_t kFew = 8;
  if (properties.size() <= kFew) return;
  const auto nameAt = [&](uint32_t i) -> std::string_view { return properties[i].name; };
  KeyIndex index(properties.size());
  for (uint32_t i = 0; i < properties.size(); ++i) index.add(properties[i].name, i, nameAt);
  byName = std::move(index);
}

const SchemaNode::Property* SchemaNode::property(std::string_view name) const {
  if (!byName) {
    const auto found = std::ranges::find(properties, name, &Property::name);
    return found == properties.end() ? nullptr : &*found;
  }
  const auto found = byName->find(name, [&](uint32_t i) -> std::string_view { return properties[i].name; });
  return found ? &properties[*found] : nullptr;
}

const SchemaNode* SchemaNode::fieldNode(std::string_view name) const {
  if (const Property* named = property(name); named && named->node) return named->node.get();
  for (const PatternProperty& candidate : patternProperties) {
    if (matchesPattern(candidate.pattern, name)) return candidate.node.get();
  }
  return additional.get();
}

bool isServerDate(std::string_view name) {
  return name == "createdAt" || name == "updatedAt";
}

bool isServerField(std::string_view name) {
  return name == "id" || name == "ownerId" || isServerDate(name);
}

struct Schema::Impl {
  explicit Impl(CompiledSchema schema) : compiled(std::move(schema)), coercion(*compiled.root) {}

  CompiledSchema compiled;
  SchemaCoercion coercion;
};

Schema::Schema(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Schema::~Schema() = default;

Result<std::shared_ptr<const Schema>> Schema::compile(DocumentView source) {
  TRY(CompiledSchema compiled, compileSchema(source));
  return std::shared_ptr<const Schema>(new Schema(std::make_unique<Impl>(std::move(compiled))));
}

std::vector<ErrorDetail> Schema::validate(DocumentView document) const {
  return breaches(*impl_->compiled.root, asValue(document), kMaxBreaches, true);
}

Result<Document> Schema::prepare(DocumentView document, bool applyDefaults) const {
  const SchemaNode& root = *impl_->compiled.root;
  if (!root.hasForms && !(applyDefaults && root.hasDefaults)) return Document(document);
  std::vector<ErrorDetail> problems;
  BsonWriter out(document.bytes().size() + document.bytes().size() / 4 + 64);
  appendPreparedFields(out, root, document, applyDefaults, problems);
  if (WorkBudget::exceeded()) return tooCostly();
  if (!problems.empty()) {
    std::string message = fmt::format("{} {}", problems.front().path, problems.front().message);
    return fail(Error(ErrorCode::validation, std::move(message)).withDetails(std::move(problems)));
  }
  return out.finish();
}

std::string_view referencedCollection(ValueView reference) {
  if (reference.type() == BsonType::string) return reference.asString();
  return reference.type() == BsonType::document ? reference.asDocument().stringOr("collection") : std::string_view();
}

std::string_view referencedCollectionOf(DocumentView schema) {
  const auto reference = schema.find("x-ref");
  return reference ? referencedCollection(*reference) : std::string_view();
}

const std::vector<Relation>& Schema::relations() const {
  return impl_->compiled.relations;
}

const FilterCoercion& Schema::coercion() const {
  return impl_->coercion;
}

bool Schema::declares(std::string_view path) const {
  return isServerField(path) || findNode(*impl_->compiled.root, path).isDeclared;
}

std::string_view Schema::celType(std::string_view path) const {
  if (isServerDate(path)) return "timestamp";
  if (path == "id" || path == "ownerId") return "string";
  const SchemaNode* node = findNode(*impl_->compiled.root, path).node;
  if (!node) return "dyn";
  if (node->form != BsonForm::none) return (node->types & json_type::null) == 0 ? typeOfForm(node->form) : "dyn";
  switch (node->types) {
    case json_type::string:
      return "string";
    case json_type::integer:
      return "int";
    case json_type::number:
    case json_type::number | json_type::integer:
      return "double";
    case json_type::boolean:
      return "bool";
    case json_type::array:
      return "list";
    case json_type::object:
      return "map";
    default:
      return "dyn";
  }
}

const FilterCoercion& defaultCoercion() {
  static const ServerDates coercion;
  return coercion;
}

}  // namespace mb::doc
