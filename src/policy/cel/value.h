// A Value is a value at run time: 16 bytes, borrowing the document it comes from or the arena of its run.
#pragma once

#include <cstdint>
#include <string_view>

namespace mb::cel {

// The type of a value; also the type that a type value denotes.
enum class Kind : uint8_t {
  error,
  null,
  boolean,
  integer,
  uinteger,
  real,
  string,
  bytes,
  list,
  map,
  timestamp,
  duration,
  type,
};
// "int", "google.protobuf.Timestamp", …: the name of the type of such values.
std::string_view kindName(Kind kind);

// Line and column in the source, from 1; columns count code points.
struct Position {
  uint16_t line = 1;
  uint16_t column = 1;
};

struct MapEntry;

struct Value {
  Kind kind = Kind::null;
  bool owned = false;  // a list or map that the expression built; otherwise its bytes are a BSON array or document
  union {
    uint32_t size = 0;  // string, bytes, error, BSON: bytes; owned list or map: entries
    int32_t nanos;      // timestamp: 0 to 999,999,999
  };
  union {
    int64_t integer = 0;  // also seconds of a timestamp and nanoseconds of a duration
    uint64_t uinteger;
    double real;
    bool boolean;
    Kind denoted;
    const char* data;
    const Value* items;
    const MapEntry* entries;
  };

  static Value ofBool(bool value) {
    Value v(Kind::boolean);
    v.boolean = value;
    return v;
  }
  static Value ofInt(int64_t value) {
    Value v(Kind::integer);
    v.integer = value;
    return v;
  }
  static Value ofUint(uint64_t value) {
    Value v(Kind::uinteger);
    v.uinteger = value;
    return v;
  }
  static Value ofReal(double value) {
    Value v(Kind::real);
    v.real = value;
    return v;
  }
  static Value ofText(Kind kind, std::string_view text) {
    Value v(kind);
    v.data = text.data();
    v.size = static_cast<uint32_t>(text.size());
    return v;
  }
  static Value ofString(std::string_view text) { return ofText(Kind::string, text); }
  static Value ofBytes(std::string_view text) { return ofText(Kind::bytes, text); }
  static Value ofTimestamp(int64_t seconds, int32_t nanos) {
    Value v(Kind::timestamp);
    v.integer = seconds;
    v.nanos = nanos;
    return v;
  }
  static Value ofDuration(int64_t nanoseconds) {
    Value v(Kind::duration);
    v.integer = nanoseconds;
    return v;
  }
  static Value ofType(Kind denoted) {
    Value v(Kind::type);
    v.denoted = denoted;
    return v;
  }
  static Value ofList(const Value* items, size_t count) {
    Value v(Kind::list);
    v.owned = true;
    v.items = items;
    v.size = static_cast<uint32_t>(count);
    return v;
  }
  static Value ofMap(const MapEntry* entries, size_t count) {
    Value v(Kind::map);
    v.owned = true;
    v.entries = entries;
    v.size = static_cast<uint32_t>(count);
    return v;
  }
  // `message` must live as long as the program; the position is packed into `size`.
  static Value ofError(const char* message, Position at) {
    Value v(Kind::error);
    v.data = message;
    v.size = static_cast<uint32_t>(at.line) << 16 | at.column;
    return v;
  }

  Value() = default;
  explicit Value(Kind k) : kind(k) {}

  bool isError() const { return kind == Kind::error; }
  bool isBool(bool expected) const { return kind == Kind::boolean && boolean == expected; }
  bool isNumber() const { return kind == Kind::integer || kind == Kind::uinteger || kind == Kind::real; }
  // REQUIRES: a string, bytes, or a list or map that is not owned.
  std::string_view text() const { return {data, size}; }
};
static_assert(sizeof(Value) == 16);

struct MapEntry {
  Value key;
  Value value;
};

}  // namespace mb::cel
