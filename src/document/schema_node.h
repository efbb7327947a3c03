// The tree of a compiled schema: built by schema_compile.cc, read by validation, preparation and coercion.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/key_index.h"
#include "document/convert.h"
#include "document/decimal.h"
#include "document/schema.h"
#include "document/schema_formats.h"

namespace mb::doc {

// The types of JSON Schema, as a set.
using JsonTypes = uint8_t;
namespace json_type {
inline constexpr JsonTypes null = 1, boolean = 2, integer = 4, number = 8, string = 16, array = 32, object = 64;
}

// An optional that takes only a pointer if it is empty: a project has thousands of nodes, and few have any of these.
template <class T>
class Rare {
 public:
  Rare& operator=(T value) {
    value_ = std::make_unique<T>(std::move(value));
    return *this;
  }
  Rare& operator=(std::optional<T> value) {
    value_ = value ? std::make_unique<T>(*std::move(value)) : nullptr;
    return *this;
  }
  explicit operator bool() const { return value_ != nullptr; }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }

 private:
  std::unique_ptr<T> value_;
};

struct SchemaNode {
  struct Property {
    std::string name;
    std::unique_ptr<SchemaNode> node;  // null for a name that only `required` lists
    bool isRequired = false;
  };
  struct PatternProperty {
    Pattern pattern;
    std::unique_ptr<SchemaNode> node;
  };
  using Nodes = std::vector<std::unique_ptr<SchemaNode>>;

  bool refusesAll = false;  // the schema `false`
  JsonTypes types = 0;      // 0: any
  BsonForm form = BsonForm::none;
  bool isReference = false;  // x-ref
  bool isUnset = false;      // with onDelete: "unset"

  std::vector<Property> properties;  // in the order of the source
  Rare<KeyIndex> byName;             // their positions, if there are many
  std::vector<PatternProperty> patternProperties;
  std::unique_ptr<SchemaNode> additional;
  bool isClosed = false;  // additionalProperties: false

  std::unique_ptr<SchemaNode> items;
  std::optional<int64_t> minItems, maxItems;
  bool uniqueItems = false;

  std::optional<int64_t> minLength, maxLength;
  Rare<Pattern> pattern;
  std::optional<Format> format;

  Rare<Value> minimum, maximum, exclusiveMinimum, exclusiveMaximum;
  Rare<Decimal> multipleOf;

  std::vector<Value> allowed;  // enum, canonical and ascending; empty: any
  Rare<Value> constant;        // const, canonical
  Nodes allOf, anyOf, oneOf;
  std::unique_ptr<SchemaNode> negated;
  Rare<Value> fallback;  // default, converted

  // Whether this node or one below has a conversion or a default.
  bool hasForms = false;
  bool hasDefaults = false;

  // Call it after the last property was added.
  void indexProperties();
  const Property* property(std::string_view name) const;
  // The node that describes a field `name`: a property, the first pattern that matches, or additionalProperties. Null
  // if no node describes it.
  const SchemaNode* fieldNode(std::string_view name) const;
};

// The fields that the server sets at the top of each document.
bool isServerField(std::string_view name);
// createdAt and updatedAt.
bool isServerDate(std::string_view name);

// The position of a value, for messages; innermost first.
struct SchemaPosition {
  const SchemaPosition* parent = nullptr;
  std::string_view key;
};
std::string pointerOf(const SchemaPosition& place);

// Breaches of `node` by `value`, at most `limit`.
std::vector<ErrorDetail> breaches(const SchemaNode& node, ValueView value, size_t limit, bool isDocumentRoot);

// Appends `value`, which is at `place`, with conversions applied and, on demand, defaults filled in. Adds values that
// cannot be converted to `problems`.
void appendPrepared(BsonWriter& out, std::string_view key, const SchemaNode& node, ValueView value, bool applyDefaults,
                    const SchemaPosition& place, std::vector<ErrorDetail>& problems);

// The same for all fields of a document.
void appendPreparedFields(BsonWriter& out, const SchemaNode& node, DocumentView document, bool applyDefaults,
                          std::vector<ErrorDetail>& problems);

struct CompiledSchema {
  std::unique_ptr<SchemaNode> root;
  std::vector<Relation> relations;
};
Result<CompiledSchema> compileSchema(DocumentView source);

}  // namespace mb::doc
