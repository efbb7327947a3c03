#include "configuration/canonical_form.h"

#include <algorithm>
#include <array>
#include <functional>
#include <span>

#include "document/canonical.h"
#include "document/json.h"

namespace mb::configuration {

namespace {

using doc::BsonType;
using doc::BsonWriter;
using doc::DocumentView;
using doc::Element;
using doc::ValueView;
using Append = std::function<void(BsonWriter&, std::string_view, ValueView)>;

void appendEach(BsonWriter& out, std::string_view key, ValueView container, const Append& append) {
  const bool array = container.type() == BsonType::array;
  array ? out.beginArray(key) : out.beginDocument(key);
  if (array) {
    for (const Element& element : container.asDocument()) append(out, element.key, element.value);
  } else {
    for (const Element& element : ordered(container.asDocument())) append(out, element.key, element.value);
  }
  out.end();
}

// Appends a list of names as a set; any other value unchanged.
void appendSet(BsonWriter& out, std::string_view key, ValueView value) {
  if (value.type() != BsonType::array) return out.append(key, value);
  std::vector<std::string> names;
  for (const Element& element : value.asDocument()) {
    if (element.value.type() != BsonType::string) return out.append(key, value);
    names.emplace_back(element.value.asString());
  }
  out.beginArray(key);
  size_t index = 0;
  for (const std::string& name : canonicalSet(std::move(names))) out.appendString(doc::arrayKey(index++), name);
  out.end();
}

// ---- schemas

void appendSchema(BsonWriter& out, std::string_view key, ValueView schema);

void appendKeyword(BsonWriter& out, std::string_view keyword, ValueView value) {
  if (keyword == "required" || keyword == "type") return appendSet(out, keyword, value);
  if (keyword == "enum" || keyword == "const") return out.append(keyword, doc::canonical(value));
  if (keyword == "default" || !value.isContainer()) return out.append(keyword, value);
  const bool one = keyword == "items" || keyword == "not" || keyword == "additionalProperties";
  one&& value.type() == BsonType::document ? appendSchema(out, keyword, value)
                                           : appendEach(out, keyword, value, appendSchema);
}

void appendSchema(BsonWriter& out, std::string_view key, ValueView schema) {
  if (schema.type() != BsonType::document) return out.append(key, schema);
  appendEach(out, key, schema, appendKeyword);
}

// ---- filters

void appendFilter(BsonWriter& out, std::string_view key, ValueView filter);

void appendOperator(BsonWriter& out, std::string_view name, ValueView operand);

// The condition for a field in a filter: operators, or a value to be equal to.
void appendCondition(BsonWriter& out, std::string_view field, ValueView value) {
  const bool operators = value.type() == BsonType::document && !value.asDocument().empty() &&
                         value.asDocument().begin()->key.starts_with('$');
  operators ? appendEach(out, field, value, appendOperator) : out.append(field, value);
}

void appendOperator(BsonWriter& out, std::string_view name, ValueView operand) {
  if (name == "$not") return appendCondition(out, name, operand);
  if (name == "$elemMatch") return appendFilter(out, name, operand);
  out.append(name, operand);
}

void appendClause(BsonWriter& out, std::string_view key, ValueView value) {
  const bool list = key == "$and" || key == "$or" || key == "$nor";
  if (list && value.type() == BsonType::array) return appendEach(out, key, value, appendFilter);
  key.starts_with('$') ? appendOperator(out, key, value) : appendCondition(out, key, value);
}

void appendFilter(BsonWriter& out, std::string_view key, ValueView filter) {
  filter.type() == BsonType::document ? appendEach(out, key, filter, appendClause) : out.append(key, filter);
}

// ---- policies

constexpr std::array<std::string_view, 7> kOperations = {"read",   "list",  "create", "update",
                                                         "delete", "admin", "public"};
constexpr std::array<std::string_view, 5> kRuleKeys = {"filter", "validate", "immutableFields", "allowedWriteFields",
                                                       "deniedReadFields"};

void appendRule(BsonWriter& out, std::string_view operation, ValueView rule) {
  if (rule.type() != BsonType::document) return out.append(operation, rule);
  out.beginDocument(operation);
  for (const auto& [key, value] : ordered(rule.asDocument(), kRuleKeys)) {
    key == "filter" ? appendFilter(out, key, value) : appendSet(out, key, value);
  }
  out.end();
}

// `key` is an operation, or "public", which holds rules of its own.
void appendRules(BsonWriter& out, std::string_view key, ValueView value) {
  if (key != "public" || value.type() != BsonType::document) return appendRule(out, key, value);
  out.beginDocument(key);
  for (const auto& [operation, rule] : ordered(value.asDocument(), kOperations)) appendRule(out, operation, rule);
  out.end();
}

// ---- text

void appendPortable(BsonWriter& out, std::string_view key, ValueView value);

void appendWrapped(BsonWriter& out, std::string_view key, std::string_view name, ValueView value) {
  std::string text;
  doc::writeJsonValue(text, value);  // writes a string without escapes unchanged
  const std::string_view bare = std::string_view(text).substr(1, text.size() - 2);
  out.beginDocument(key);
  if (value.type() == BsonType::binary) {
    constexpr std::string_view kHex = "0123456789abcdef";
    const std::array<char, 2> subtype = {kHex[value.binarySubtype() >> 4], kHex[value.binarySubtype() & 15]};
    out.beginDocument(name);
    out.appendString("base64", bare);
    out.appendString("subType", std::string_view(subtype.data(), subtype.size()));
    out.end();
  } else if (value.type() == BsonType::date && parseRfc3339(bare) != value.asDate()) {
    out.appendInt64(name, value.asDate().ms);
  } else {
    out.appendString(name, bare);
  }
  out.end();
}

void appendPortable(BsonWriter& out, std::string_view key, ValueView value) {
  switch (value.type()) {
    case BsonType::date:
      return appendWrapped(out, key, "$date", value);
    case BsonType::objectId:
      return appendWrapped(out, key, "$oid", value);
    case BsonType::decimal:
      return appendWrapped(out, key, "$numberDecimal", value);
    case BsonType::binary:
      return appendWrapped(out, key, "$binary", value);
    case BsonType::document:
    case BsonType::array:
      value.type() == BsonType::array ? out.beginArray(key) : out.beginDocument(key);
      for (const Element& element : value.asDocument()) appendPortable(out, element.key, element.value);
      return out.end();
    default:
      return out.append(key, value);
  }
}

doc::Document alone(const std::function<void(BsonWriter&)>& append) {
  BsonWriter out;
  append(out);
  return out.finish();
}

}  // namespace

std::vector<Element> ordered(DocumentView object, std::span<const std::string_view> first) {
  std::vector<Element> elements;
  for (const Element& element : object) elements.push_back(element);
  const auto rank = [&](const Element& element) {
    return std::pair{std::ranges::find(first, element.key) - first.begin(), element.key};
  };
  std::ranges::sort(elements, {}, rank);
  return elements;
}

void appendOrdered(BsonWriter& out, std::string_view key, ValueView value, std::span<const std::string_view> first) {
  if (value.type() != BsonType::document) return out.append(key, value);
  out.beginDocument(key);
  for (const auto& [name, field] : ordered(value.asDocument(), first)) out.append(name, field);
  out.end();
}

doc::Document canonicalSchema(DocumentView schema) {
  return alone([&](BsonWriter& out) {
    for (const auto& [key, value] : ordered(schema)) appendKeyword(out, key, value);
  });
}

doc::Document canonicalPolicy(DocumentView policy) {
  return alone([&](BsonWriter& out) {
    for (const auto& [key, value] : ordered(policy, kOperations)) appendRules(out, key, value);
  });
}

doc::Document canonicalFilter(DocumentView filter) {
  return alone([&](BsonWriter& out) {
    for (const auto& [key, value] : ordered(filter)) appendClause(out, key, value);
  });
}

std::vector<std::string> canonicalSet(std::vector<std::string> names) {
  std::ranges::sort(names);
  const auto twice = std::ranges::unique(names);
  names.erase(twice.begin(), twice.end());
  return names;
}

doc::Document portable(DocumentView document) {
  return alone([&](BsonWriter& out) {
    for (const auto& [key, value] : document) appendPortable(out, key, value);
  });
}

bool sameText(ValueView a, ValueView b) {
  const auto textOf = [](ValueView value) {
    return doc::toJson(alone([&](BsonWriter& out) { appendPortable(out, "", value); }));
  };
  return textOf(a) == textOf(b);
}

bool sameText(const std::optional<doc::Document>& a, const std::optional<doc::Document>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return *a == *b || doc::toJson(portable(*a)) == doc::toJson(portable(*b));
}

}  // namespace mb::configuration
