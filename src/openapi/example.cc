#include "openapi/example.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace mb::openapi {

namespace {

using doc::BsonType;
using doc::BsonWriter;
using doc::DocumentView;
using doc::Value;
using doc::ValueView;

// Deeper than any schema (document/schema.h allows 20 levels), so that the expansion of a recursive reference ends.
constexpr int kDepth = 40;
constexpr int64_t kMaxItems = 10;
constexpr int64_t kLongestText = 200;

constexpr std::pair<std::string_view, std::string_view> kFormats[] = {
    {"date-time", "2026-01-31T09:30:00.000Z"},
    {"date", "2026-01-31"},
    {"time", "09:30:00Z"},
    {"email", "ada@example.com"},
    {"uri", "https://example.com/"},
    {"uuid", "5e9d3c52-6a43-4f5a-8f0e-0a4f5c1d2b3e"},
    {"ipv4", "192.0.2.1"},
    {"ipv6", "2001:db8::1"},
};

template <class Write>
Value valueBy(Write write) {
  BsonWriter out;
  write(out);
  const doc::Document holder = out.finish();
  return Value(holder.view().begin()->value);
}

std::optional<DocumentView> documentAt(DocumentView schema, std::string_view key, BsonType type = BsonType::document) {
  const auto value = schema.find(key);
  if (!value || value->type() != type) return std::nullopt;
  return value->asDocument();
}

std::optional<ValueView> firstOf(DocumentView schema, std::string_view key) {
  const auto list = documentAt(schema, key, BsonType::array);
  if (!list || list->empty()) return std::nullopt;
  return list->begin()->value;
}

std::optional<int64_t> integerAt(DocumentView schema, std::string_view key) {
  const auto value = schema.find(key);
  return value && value->isNumber() ? value->toInteger() : std::nullopt;
}

std::string typeOf(DocumentView schema) {
  const auto type = schema.find("type");
  if (type && type->type() == BsonType::string) return std::string(type->asString());
  if (type && type->type() == BsonType::array && !type->asDocument().empty()) {
    const ValueView first = type->asDocument().begin()->value;
    if (first.type() == BsonType::string) return std::string(first.asString());
  }
  if (schema.find("properties")) return "object";
  if (schema.find("items")) return "array";
  return "";
}

class ExampleBuilder {
 public:
  explicit ExampleBuilder(const Components& components) : components_(components) {}

  std::optional<Value> make(DocumentView schema, int depth) {
    if (depth > kDepth) return std::nullopt;
    if (const auto reference = schema.stringOr("$ref"); !reference.empty()) return referred(reference, depth);
    if (const auto given = firstOf(schema, "examples")) return Value(*given);
    for (const std::string_view key : {"default", "const"}) {
      if (const auto given = schema.find(key)) return Value(*given);
    }
    if (const auto given = firstOf(schema, "enum")) return Value(*given);
    for (const std::string_view key : {"anyOf", "oneOf"}) {
      const auto choice = firstOf(schema, key);
      if (choice && choice->type() == BsonType::document) return make(choice->asDocument(), depth + 1);
    }
    if (const auto parts = documentAt(schema, "allOf", BsonType::array)) return allOf(schema, *parts, depth);
    return plain(schema, depth);
  }

 private:
  std::optional<Value> referred(std::string_view reference, int depth) {
    if (!reference.starts_with(kSchemaRef)) return std::nullopt;
    const auto found = components_.find(reference.substr(kSchemaRef.size()));
    if (found == components_.end()) return std::nullopt;
    return make(found->second, depth + 1);
  }

  // Objects only: the fields of all parts, the schema's own included.
  std::optional<Value> allOf(DocumentView schema, DocumentView parts, int depth) {
    std::map<std::string, Value> fields;
    const auto take = [&](const std::optional<Value>& value) {
      if (!value || value->type() != BsonType::document) return false;
      for (const doc::Element& field : value->view().asDocument()) {
        fields.emplace(std::string(field.key), Value(field.value));
      }
      return true;
    };
    if (!take(object(schema, depth))) return std::nullopt;
    for (const doc::Element& part : parts) {
      if (part.value.type() != BsonType::document || !take(make(part.value.asDocument(), depth + 1))) {
        return std::nullopt;
      }
    }
    return valueBy([&](BsonWriter& out) {
      out.beginDocument("");
      for (const auto& [name, value] : fields) out.append(name, value);
      out.end();
    });
  }

  std::optional<Value> plain(DocumentView schema, int depth) {
    const std::string type = typeOf(schema);
    if (type == "object") return object(schema, depth);
    if (type == "array") return array(schema, depth);
    if (type == "string") return text(schema);
    if (type == "integer" || type == "number") return number(schema);
    if (type == "boolean") return valueBy([](BsonWriter& out) { out.appendBool("", true); });
    if (type == "null") return Value();
    if (!type.empty()) return std::nullopt;
    return valueBy([](BsonWriter& out) { out.appendString("", "anything"); });
  }

  std::optional<Value> object(DocumentView schema, int depth) {
    std::vector<std::pair<std::string_view, Value>> fields;
    if (const auto properties = documentAt(schema, "properties")) {
      for (const doc::Element& property : *properties) {
        if (property.value.type() != BsonType::document) continue;
        if (auto value = make(property.value.asDocument(), depth + 1)) {
          fields.emplace_back(property.key, *std::move(value));
        }
      }
    }
    if (const auto required = documentAt(schema, "required", BsonType::array)) {
      for (const doc::Element& name : *required) {
        const bool there = name.value.type() == BsonType::string &&
                           std::any_of(fields.begin(), fields.end(),
                                       [&](const auto& field) { return field.first == name.value.asString(); });
        if (!there) return std::nullopt;
      }
    }
    return valueBy([&](BsonWriter& out) {
      out.beginDocument("");
      for (const auto& [name, value] : fields) out.append(name, value);
      out.end();
    });
  }

  std::optional<Value> array(DocumentView schema, int depth) {
    const int64_t min = integerAt(schema, "minItems").value_or(1);
    const int64_t max = integerAt(schema, "maxItems").value_or(kMaxItems);
    const int64_t count = std::min(std::max<int64_t>(min, 1), max);
    if (count > kMaxItems) return std::nullopt;
    std::optional<Value> item;
    if (const auto items = documentAt(schema, "items")) {
      item = make(*items, depth + 1);
      if (!item && min > 0) return std::nullopt;
    }
    return valueBy([&](BsonWriter& out) {
      out.beginArray("");
      if (item) {
        for (int64_t i = 0; i < count; ++i) out.append(doc::arrayKey(static_cast<size_t>(i)), *item);
      }
      out.end();
    });
  }

  static std::optional<Value> text(DocumentView schema) {
    if (schema.find("pattern")) return std::nullopt;
    const std::string_view format = schema.stringOr("format");
    std::string value = "text";
    for (const auto& [name, sample] : kFormats) {
      if (format == name) value = sample;
    }
    const int64_t min = integerAt(schema, "minLength").value_or(0);
    const int64_t max = integerAt(schema, "maxLength").value_or(kLongestText);
    if (min > kLongestText) return std::nullopt;
    if (format.empty()) {
      if (std::cmp_less(value.size(), min)) value.append(static_cast<size_t>(min) - value.size(), 't');
      if (std::cmp_greater(value.size(), max)) value.resize(static_cast<size_t>(std::max<int64_t>(max, 0)));
    }
    return valueBy([&](BsonWriter& out) { out.appendString("", value); });
  }

  static std::optional<Value> number(DocumentView schema) {
    int64_t value = integerAt(schema, "minimum").value_or(1);
    if (const auto above = integerAt(schema, "exclusiveMinimum")) value = std::max(value, *above + 1);
    if (const auto max = integerAt(schema, "maximum")) value = std::min(value, *max);
    if (const auto below = integerAt(schema, "exclusiveMaximum")) value = std::min(value, *below - 1);
    if (const auto step = integerAt(schema, "multipleOf"); step && *step > 0)
      value = (value + *step - 1) / *step * *step;
    return valueBy([&](BsonWriter& out) { out.appendInteger("", value); });
  }

  const Components& components_;
};

}  // namespace

std::optional<Value> exampleOf(DocumentView schema, const Components& components) {
  return ExampleBuilder(components).make(schema, 0);
}

}  // namespace mb::openapi
