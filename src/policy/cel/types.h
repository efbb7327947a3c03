// Static types, deduced by the checker.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "document/schema.h"

namespace mb::cel {

struct Type {
  enum class Kind : uint8_t {
    dyn,
    any,        // the element type of an empty literal: compatible with every type
    parameter,  // A or B of an overload
    null,
    boolean,
    integer,
    uinteger,
    real,
    string,
    bytes,
    timestamp,
    duration,
    list,    // of `element`
    map,     // from `key` to `element`
    type,    // a value that denotes a type
    object,  // a map from string whose fields are known by `schema` below `path`, or by `fields`
  };
  Kind kind = Kind::dyn;
  bool nullable = false;   // null is a value of it too
  bool anyNumber = false;  // a number of a document: may be compared with any number
  char parameter = 0;
  const Type* key = nullptr;
  const Type* element = nullptr;
  const doc::Schema* schema = nullptr;
  std::string path;
  const std::vector<std::pair<std::string, std::string>>* fields = nullptr;

  bool is(Kind k) const { return kind == k; }
  // Unknown before run time.
  bool open() const { return kind == Kind::dyn || kind == Kind::any; }
  bool isNumber() const { return kind == Kind::integer || kind == Kind::uinteger || kind == Kind::real; }
};

const Type* basicType(Type::Kind kind);
std::string typeText(const Type& type);
// Whether values of the two types may be combined (in ==, in the branches of ?:, for one type parameter).
bool comparable(const Type& a, const Type& b);

// A TypePool creates and owns types that have parts.
class TypePool {
 public:
  const Type* list(const Type* element);
  const Type* map(const Type* key, const Type* element);
  const Type* object(const doc::Schema* schema, std::string path, bool nullable);
  const Type* object(const std::vector<std::pair<std::string, std::string>>* fields, bool nullable);
  // "int", "list(A)", "map(A,B)", "string?" (nullable), "number" (a double of a document); dyn for an unknown name.
  const Type* parse(std::string_view text);
  // The common type of both: `dyn` if they differ.
  const Type* join(const Type* a, const Type* b);

 private:
  const Type* add(Type type);
  std::deque<Type> types_;
};

// The type of an object's field, or null if it has no such field. Numbers of a schema are `anyNumber`.
const Type* fieldType(TypePool& pool, const Type& object, std::string_view field);

}  // namespace mb::cel
