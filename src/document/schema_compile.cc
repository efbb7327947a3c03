#include <algorithm>
#include <cmath>

#include "base/work_budget.h"
#include "document/canonical.h"
#include "document/pattern.h"
#include "document/schema_node.h"
#include "document/storable.h"
#include "document/value_order.h"

namespace mb::doc {

namespace {

constexpr int kMaxDepth = 20;
constexpr int kMaxNodes = 2000;
// The limit for all compiled regular expressions together.
constexpr int kMaxInstructions = 50'000;
constexpr size_t kMaxProblems = 100;

struct NamedType {
  std::string_view name;
  JsonTypes type;
};
constexpr std::array kTypes{
    NamedType{"null", json_type::null},       NamedType{"boolean", json_type::boolean},
    NamedType{"integer", json_type::integer}, NamedType{"number", json_type::number},
    NamedType{"string", json_type::string},   NamedType{"array", json_type::array},
    NamedType{"object", json_type::object},
};

std::optional<JsonTypes> typeByName(ValueView value) {
  if (value.type() != BsonType::string) return std::nullopt;
  const auto found = std::ranges::find(kTypes, value.asString(), &NamedType::name);
  return found == kTypes.end() ? std::nullopt : std::optional(found->type);
}

std::optional<BsonForm> formByName(ValueView value) {
  if (value.type() != BsonType::string) return std::nullopt;
  if (value.asString() == "date") return BsonForm::date;
  if (value.asString() == "objectId") return BsonForm::objectId;
  if (value.asString() == "decimal") return BsonForm::decimal;
  if (value.asString() == "binary") return BsonForm::binary;
  return std::nullopt;
}

class SchemaCompiler {
 public:
  // The position of a subschema.
  struct Position {
    std::string pointer;
    // The path of the values it describes, arrays transparent; nullopt if there is no single one.
    std::optional<std::string> path;
    int depth = 1;
    // False inside allOf, anyOf, oneOf and not, where a schema validates values but does not describe stored ones.
    bool describes = true;
    bool isItem = false;          // of an array
    bool inArrayInArray = false;  // which no index descends into

    Position below(std::string_view step) const {
      Position position = *this;
      appendPointer(position.pointer, step);
      ++position.depth;
      return position;
    }
  };

  std::unique_ptr<SchemaNode> compile(ValueView source, const Position& position) {
    auto node = std::make_unique<SchemaNode>();
    if (position.depth > kMaxDepth || ++nodes_ > kMaxNodes) {
      problem(position.pointer,
              fmt::format("a schema must have at most {} levels and {} subschemas", kMaxDepth, kMaxNodes));
      return node;
    }
    if (source.type() == BsonType::boolean) {
      node->refusesAll = !source.asBool();
      return node;
    }
    if (source.type() != BsonType::document) {
      problem(position.pointer, "must be an object, true or false");
      return node;
    }
    for (const Element& element : source.asDocument()) keyword(*node, element.key, element.value, position);
    finish(*node, position);
    return node;
  }

  std::vector<ErrorDetail> takeProblems() { return std::move(problems_); }
  std::vector<Relation> takeRelations() { return std::move(relations_); }

 private:
  using Read = void (SchemaCompiler::*)(SchemaNode&, ValueView, const Position&);
  struct Keyword {
    std::string_view name;
    Read read;
  };
  static const std::array<Keyword, 29> kKeywords;

  void problem(std::string pointer, std::string message) {
    if (problems_.size() < kMaxProblems) problems_.push_back({std::move(pointer), std::move(message)});
  }

  void keyword(SchemaNode& node, std::string_view name, ValueView value, const Position& position) {
    const auto found = std::ranges::find(kKeywords, name, &Keyword::name);
    const Position at = position.below(name);
    if (found == kKeywords.end()) return problem(at.pointer, "is not a supported keyword of schemas");
    (this->*found->read)(node, value, at);
  }

  void readType(SchemaNode& node, ValueView value, const Position& at) {
    const auto add = [&](ValueView name) {
      const auto type = typeByName(name);
      if (!type) return problem(at.pointer, "must be null, boolean, integer, number, string, array, object, or a list");
      node.types |= *type;
    };
    if (value.type() != BsonType::array) return add(value);
    if (value.asDocument().empty()) return problem(at.pointer, "must name a type");
    for (const Element& element : value.asDocument()) add(element.value);
  }

  void readProperties(SchemaNode& node, ValueView value, const Position& at) {
    if (value.type() != BsonType::document) return problem(at.pointer, "must be an object");
    for (const Element& element : value.asDocument()) {
      if (nodes_ > kMaxNodes) return;
      Position below = at.below(element.key);
      below.depth = at.depth;
      const bool isName =
          !element.key.empty() && element.key.front() != '$' && element.key.find('.') == std::string_view::npos;
      if (!isName) problem(below.pointer, "is not a valid field name");
      below.isItem = false;
      if (at.path) below.path = at.path->empty() ? std::string(element.key) : *at.path + "." + std::string(element.key);
      named(node, element.key).node = compile(element.value, below);
    }
  }

  void readRequired(SchemaNode& node, ValueView value, const Position& at) {
    if (value.type() != BsonType::array) return problem(at.pointer, "must be an array of names");
    for (const Element& element : value.asDocument()) {
      if (element.value.type() != BsonType::string) return problem(at.pointer, "must be an array of names");
      named(node, element.value.asString()).isRequired = true;
    }
  }

  // Returns the property `name`, created if needed.
  SchemaNode::Property& named(SchemaNode& node, std::string_view name) {
    auto& positions = positionsByName_[&node];
    const auto [found, isNew] = positions.try_emplace(std::string(name), node.properties.size());
    if (isNew) node.properties.push_back({std::string(name), nullptr, false});
    return node.properties[found->second];
  }

  void readPatternProperties(SchemaNode& node, ValueView value, const Position& at) {
    if (value.type() != BsonType::document) return problem(at.pointer, "must be an object");
    for (const Element& element : value.asDocument()) {
      Position below = at.below(element.key);
      below.depth = at.depth;
      below.path.reset();
      auto pattern = patternOf(element.key, below);
      if (pattern) node.patternProperties.push_back({*std::move(pattern), compile(element.value, below)});
    }
  }

  void readAdditional(SchemaNode& node, ValueView value, const Position& at) {
    Position below = at;
    below.path.reset();
    if (value.type() == BsonType::boolean) {
      node.isClosed = !value.asBool();
    } else {
      node.additional = compile(value, below);
    }
  }

  void readItems(SchemaNode& node, ValueView value, const Position& at) {
    Position below = at;
    below.inArrayInArray = at.inArrayInArray || at.isItem;
    below.isItem = true;
    node.items = compile(value, below);
  }

  std::optional<int64_t> readCount(ValueView value, const Position& at) {
    const auto count = value.isNumber() ? value.toInteger() : std::nullopt;
    if (!count || *count < 0) {
      problem(at.pointer, "must be a whole number, 0 or greater");
      return std::nullopt;
    }
    return count;
  }
  void readMinItems(SchemaNode& node, ValueView value, const Position& at) { node.minItems = readCount(value, at); }
  void readMaxItems(SchemaNode& node, ValueView value, const Position& at) { node.maxItems = readCount(value, at); }
  void readMinLength(SchemaNode& node, ValueView value, const Position& at) { node.minLength = readCount(value, at); }
  void readMaxLength(SchemaNode& node, ValueView value, const Position& at) { node.maxLength = readCount(value, at); }

  void readUnique(SchemaNode& node, ValueView value, const Position& at) {
    if (value.type() != BsonType::boolean) return problem(at.pointer, "must be true or false");
    node.uniqueItems = value.asBool();
  }

  void readPattern(SchemaNode& node, ValueView value, const Position& at) {
    if (value.type() != BsonType::string) return problem(at.pointer, "must be a regular expression");
    node.pattern = patternOf(value.asString(), at);
  }

  // nullopt, with a problem, if it cannot be used. Patterns past the bound of all patterns, or past the thread's
  // WorkBudget, are not compiled.
  std::optional<Pattern> patternOf(std::string_view source, const Position& at) {
    if (instructions_ <= kMaxInstructions && !WorkBudget::exceeded()) {
      auto pattern = compilePattern(source, "", ErrorCode::validation);
      if (!pattern) {
        problem(at.pointer, pattern.error().message());
        return std::nullopt;
      }
      instructions_ += programSize(*pattern);
      if (instructions_ <= kMaxInstructions) return *std::move(pattern);
    }
    problem(at.pointer, "makes the regular expressions of the schema too large together: use fewer or smaller ones");
    return std::nullopt;
  }

  void readFormat(SchemaNode& node, ValueView value, const Position& at) {
    node.format = value.type() == BsonType::string ? formatByName(value.asString()) : std::nullopt;
    if (!node.format) problem(at.pointer, "must be one of date-time, date, time, email, uri, uuid, ipv4, ipv6");
  }

  std::optional<Value> readNumber(ValueView value, const Position& at) {
    if (value.isNumber()) return Value(value);
    problem(at.pointer, "must be a number");
    return std::nullopt;
  }
  void readMinimum(SchemaNode& node, ValueView value, const Position& at) { node.minimum = readNumber(value, at); }
  void readMaximum(SchemaNode& node, ValueView value, const Position& at) { node.maximum = readNumber(value, at); }
  void readExclusiveMinimum(SchemaNode& node, ValueView value, const Position& at) {
    node.exclusiveMinimum = readNumber(value, at);
  }
  void readExclusiveMaximum(SchemaNode& node, ValueView value, const Position& at) {
    node.exclusiveMaximum = readNumber(value, at);
  }
  void readMultipleOf(SchemaNode& node, ValueView value, const Position& at) {
    const auto step = value.isNumber() ? convertTo(BsonForm::decimal, value) : std::nullopt;
    const Decimal decimal = step ? Decimal::fromBytes(step->view().asDecimal()) : Decimal{};
    if (decimal.coefficient == 0 || decimal.negative) return problem(at.pointer, "must be a number above 0");
    node.multipleOf = decimal;
  }

  void readEnum(SchemaNode& node, ValueView value, const Position& at) {
    if (value.type() != BsonType::array || value.asDocument().empty()) {
      return problem(at.pointer, "must be a non-empty array of values");
    }
    for (const Element& element : value.asDocument()) node.allowed.emplace_back(element.value);
  }
  void readConst(SchemaNode& node, ValueView value, const Position&) { node.constant = Value(value); }

  SchemaNode::Nodes readBranches(ValueView value, const Position& at) {
    SchemaNode::Nodes nodes;
    if (value.type() != BsonType::array || value.asDocument().empty()) {
      problem(at.pointer, "must be a non-empty array of schemas");
      return nodes;
    }
    for (const Element& element : value.asDocument()) {
      Position below = at.below(element.key);
      below.depth = at.depth;
      below.describes = false;
      below.path.reset();
      nodes.push_back(compile(element.value, below));
    }
    return nodes;
  }
  void readAllOf(SchemaNode& node, ValueView value, const Position& at) { node.allOf = readBranches(value, at); }
  void readAnyOf(SchemaNode& node, ValueView value, const Position& at) { node.anyOf = readBranches(value, at); }
  void readOneOf(SchemaNode& node, ValueView value, const Position& at) { node.oneOf = readBranches(value, at); }
  void readNot(SchemaNode& node, ValueView value, const Position& at) {
    Position below = at;
    below.describes = false;
    below.path.reset();
    node.negated = compile(value, below);
  }

  void readText(SchemaNode&, ValueView value, const Position& at) {
    if (value.type() != BsonType::string) problem(at.pointer, "must be a string");
  }

  bool refusedInside(const Position& at) {
    if (!at.describes) problem(at.pointer, "must not be used inside allOf, anyOf, oneOf or not");
    return !at.describes;
  }
  void readDefault(SchemaNode& node, ValueView value, const Position& at) {
    if (!refusedInside(at)) node.fallback = Value(value);
  }
  void readReference(SchemaNode& node, ValueView value, const Position& at) {
    if (refusedInside(at)) return;
    Relation relation;
    relation.collection = referencedCollection(value);
    relation.pointer = at.pointer;
    if (value.type() == BsonType::document) {
      for (const Element& each : value.asDocument()) readReferenceKey(relation, each, at.below(each.key));
    }
    if (relation.collection.empty()) {
      return problem(at.pointer, "must be the name of a collection, or {collection, check, onDelete}");
    }
    if (!at.path || at.path->empty()) return problem(at.pointer, "must be on a field that has a path");
    if (relation.onDelete != OnDelete::none && relation.check == ReferenceCheck::none) {
      relation.check = ReferenceCheck::exists;
    }
    if (relation.onDelete != OnDelete::none && at.inArrayInArray) {
      problem(at.pointer, "must not have onDelete inside an array of arrays, which no index finds");
    }
    relation.path = *at.path;
    node.isReference = true;
    node.isUnset = relation.onDelete == OnDelete::unset;
    relations_.push_back(std::move(relation));
  }
  void readReferenceKey(Relation& relation, const Element& each, const Position& at) {
    const std::string_view text = each.value.type() == BsonType::string ? each.value.asString() : "";
    if (each.key == "collection") return;
    if (each.key == "check") {
      if (text == "exists") relation.check = ReferenceCheck::exists;
      if (text == "readable") relation.check = ReferenceCheck::readable;
      if (relation.check == ReferenceCheck::none) problem(at.pointer, "must be exists or readable");
    } else if (each.key == "onDelete") {
      if (text == "restrict") relation.onDelete = OnDelete::restrict;
      if (text == "cascade") relation.onDelete = OnDelete::cascade;
      if (text == "unset") relation.onDelete = OnDelete::unset;
      if (relation.onDelete == OnDelete::none) problem(at.pointer, "must be restrict, cascade or unset");
    } else {
      problem(at.pointer, "is not a key of x-ref: use collection, check or onDelete");
    }
  }
  void readForm(SchemaNode& node, ValueView value, const Position& at) {
    if (refusedInside(at)) return;
    const auto form = formByName(value);
    if (!form) return problem(at.pointer, "must be one of date, objectId, decimal, binary");
    node.form = *form;
  }

  // The checks that need all keywords of an object.
  void finish(SchemaNode& node, const Position& position) {
    positionsByName_.erase(&node);
    node.indexProperties();
    const auto at = [&](std::string_view keyword) { return position.below(keyword).pointer; };
    const JsonTypes plain = node.types & ~json_type::null;
    if (node.isReference && plain != json_type::string) {
      problem(at("x-ref"), "must be on a string, or on the items of an array that are strings");
    }
    for (const SchemaNode::Property& property : node.properties) {
      if (!property.isRequired || !property.node || !property.node->isUnset) continue;
      problem(position.below("properties").below(property.name).below("x-ref").below("onDelete").pointer,
              "must not be unset on a required field");
    }
    constexpr JsonTypes kNumbers = json_type::integer | json_type::number;
    const JsonTypes formTypes = node.form == BsonForm::decimal ? json_type::string | kNumbers : json_type::string;
    if (node.form != BsonForm::none && (plain & ~formTypes) != 0) {
      problem(at("x-bson"), "must fit the type");
    }
    convertAllowed(node, at("enum"));
    if (node.constant) convertStored(*node.constant, node.form, at("const"));
    markBelow(node);
    checkDefault(node, at("default"));
  }

  void convertAllowed(SchemaNode& node, const std::string& pointer) {
    for (Value& value : node.allowed) convertStored(value, node.form, pointer);
    std::ranges::sort(node.allowed, [](const Value& a, const Value& b) { return compareValues(a, b) < 0; });
  }

  // Converts values to compare with to the form of stored values.
  void convertStored(Value& value, BsonForm form, const std::string& pointer) {
    const auto converted = value.type() == BsonType::null ? std::optional(value) : convertTo(form, value);
    if (!converted) return problem(pointer, "holds a value that x-bson cannot convert");
    value = canonical(*converted);
  }

  static void markBelow(SchemaNode& node) {
    node.hasForms = node.form != BsonForm::none;
    const auto mark = [&](const SchemaNode* below) {
      if (!below) return;
      node.hasForms = node.hasForms || below->hasForms;
      node.hasDefaults = node.hasDefaults || below->hasDefaults || below->fallback;
    };
    for (const auto& property : node.properties) mark(property.node.get());
    for (const auto& property : node.patternProperties) mark(property.node.get());
    mark(node.additional.get());
    mark(node.items.get());
  }

  void checkDefault(SchemaNode& node, const std::string& pointer) {
    if (!node.fallback) return;
    if (const auto storable = checkStorableValue(*node.fallback); !storable) {
      return problem(pointer, storable.error().message());
    }
    BsonWriter out;
    std::vector<ErrorDetail> problems;
    appendPrepared(out, "", node, *node.fallback, false, {}, problems);
    const Document prepared = out.finish();
    if (problems.empty()) {
      node.fallback = Value(prepared.view().begin()->value);
      problems = breaches(node, *node.fallback, 1, false);
    }
    if (!problems.empty()) problem(pointer, fmt::format("must match its own schema: {}", problems.front().message));
  }

  std::vector<ErrorDetail> problems_;
  std::vector<Relation> relations_;
  std::map<const SchemaNode*, std::map<std::string, size_t>> positionsByName_;
  int nodes_ = 0;
  int instructions_ = 0;  // of all patterns
};

const std::array<SchemaCompiler::Keyword, 29> SchemaCompiler::kKeywords{{
    {"type", &SchemaCompiler::readType},
    {"properties", &SchemaCompiler::readProperties},
    {"required", &SchemaCompiler::readRequired},
    {"additionalProperties", &SchemaCompiler::readAdditional},
    {"patternProperties", &SchemaCompiler::readPatternProperties},
    {"items", &SchemaCompiler::readItems},
    {"enum", &SchemaCompiler::readEnum},
    {"const", &SchemaCompiler::readConst},
    {"minimum", &SchemaCompiler::readMinimum},
    {"maximum", &SchemaCompiler::readMaximum},
    {"exclusiveMinimum", &SchemaCompiler::readExclusiveMinimum},
    {"exclusiveMaximum", &SchemaCompiler::readExclusiveMaximum},
    {"multipleOf", &SchemaCompiler::readMultipleOf},
    {"minLength", &SchemaCompiler::readMinLength},
    {"maxLength", &SchemaCompiler::readMaxLength},
    {"pattern", &SchemaCompiler::readPattern},
    {"format", &SchemaCompiler::readFormat},
    {"minItems", &SchemaCompiler::readMinItems},
    {"maxItems", &SchemaCompiler::readMaxItems},
    {"uniqueItems", &SchemaCompiler::readUnique},
    {"allOf", &SchemaCompiler::readAllOf},
    {"anyOf", &SchemaCompiler::readAnyOf},
    {"oneOf", &SchemaCompiler::readOneOf},
    {"not", &SchemaCompiler::readNot},
    {"default", &SchemaCompiler::readDefault},
    {"title", &SchemaCompiler::readText},
    {"description", &SchemaCompiler::readText},
    {"x-ref", &SchemaCompiler::readReference},
    {"x-bson", &SchemaCompiler::readForm},
}};

}  // namespace

Result<CompiledSchema> compileSchema(DocumentView source) {
  SchemaCompiler compiler;
  CompiledSchema compiled;
  compiled.root = compiler.compile(ValueView(BsonType::document, source.bytes().data(), source.bytes().size()),
                                   {.pointer = "", .path = ""});
  auto problems = compiler.takeProblems();
  if (compiled.root->types != 0 && (compiled.root->types & json_type::object) == 0) {
    problems.push_back({"/type", "must be object at the top level, as documents are objects"});
  }
  if (!problems.empty()) {
    std::string message =
        fmt::format("the schema cannot be used: {} {}", problems.front().path, problems.front().message);
    return fail(Error(ErrorCode::validation, std::move(message)).withDetails(std::move(problems)));
  }
  compiled.relations = compiler.takeRelations();
  return compiled;
}

}  // namespace mb::doc
