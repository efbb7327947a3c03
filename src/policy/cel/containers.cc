// Access to lists and maps, in BSON or built by the expression: by key, by position, in order.
#include <string.h>

#include <algorithm>
#include <cmath>

#include "policy/cel/functions.h"
#include "policy/cel/run.h"
#include "policy/cel/times.h"

namespace mb::cel {
namespace {

constexpr int kMaxDepth = 200;

doc::DocumentView bsonOf(const Value& container) {
  return container.owned ? doc::DocumentView() : doc::DocumentView(container.text());
}

Value fromDate(int64_t ms, Position at) {
  int64_t seconds = ms / 1000;
  int64_t rest = ms % 1000;
  if (rest < 0) {
    rest += 1000;
    --seconds;
  }
  if (seconds < kFirstSecond || seconds > kLastSecond) return Value::ofError("timestamp out of range", at);
  return Value::ofTimestamp(seconds, static_cast<int32_t>(rest * 1'000'000));
}

// `index` as a position in a list of `count` elements, or nullopt.
std::optional<uint32_t> indexOf(const Value& index, uint64_t count) {
  uint64_t wanted = count;
  if (index.kind == Kind::integer && index.integer >= 0) wanted = static_cast<uint64_t>(index.integer);
  if (index.kind == Kind::uinteger) wanted = index.uinteger;
  if (index.kind == Kind::real && index.real >= 0 && index.real < 0x1p32 && std::floor(index.real) == index.real) {
    wanted = static_cast<uint64_t>(index.real);
  }
  if (wanted >= count) return std::nullopt;
  return static_cast<uint32_t>(wanted);
}

Value elementAt(Run& run, const Value& list, const Value& index, Position at) {
  if (!index.isNumber()) return Value::ofError("a list must be indexed by an int", at);
  if (list.owned) {
    const auto position = indexOf(index, list.size);
    return position ? list.items[*position] : Value::ofError("index out of bounds", at);
  }
  uint64_t count = 0;
  // An array of BSON holds at most a value in three bytes.
  const auto position = indexOf(index, list.size / 3 + 1);
  if (!position) return Value::ofError("index out of bounds", at);
  for (const doc::Element& element : bsonOf(list)) {
    if (count++ < *position) continue;
    return run.charge(count / kEntriesPerStep) ? run.fromBson(element.value, at) : Value::ofError(kCostLimit, at);
  }
  run.charge(count / kEntriesPerStep);
  return Value::ofError("index out of bounds", at);
}

bool isKey(const Value& value) {
  return value.isNumber() || value.kind == Kind::boolean || value.kind == Kind::string;
}

const Value* findOwned(Run& run, const Value& map, const Value& key) {
  for (uint32_t i = 0; i < map.size; ++i) {
    if (run.equal(map.entries[i].key, key)) return &map.entries[i].value;
  }
  return nullptr;
}

bool equalLists(Run& run, const Value& a, const Value& b, int depth) {
  if (a.owned && b.owned && a.size != b.size) return false;
  ItemCursor left(run, a, {});
  ItemCursor right(run, b, {});
  Value x;
  Value y;
  for (;;) {
    const bool more = left.next(x);
    if (more != right.next(y)) return false;
    if (!more) return !run.exhausted();
    if (!run.equal(x, y, depth + 1)) return false;
  }
}

bool equalMaps(Run& run, const Value& a, const Value& b, int depth) {
  if (run.sizeOf(a) != run.sizeOf(b)) return false;
  EntryCursor left(run, a, {});
  EntryCursor right(run, b, {});
  // While the entries have the same order, as is common, no key is looked up.
  bool aligned = true;
  MapEntry x;
  MapEntry y;
  while (left.next(x)) {
    aligned = aligned && right.next(y) && run.equal(x.key, y.key, depth + 1);
    if (!aligned) {
      y.value = run.lookUp(b, x.key, {});
      if (y.value.isError()) return false;
    }
    if (!run.equal(x.value, y.value, depth + 1)) return false;
  }
  return !run.exhausted();
}

Value index(Run& run, const Node& call, std::span<const Value> args) {
  if (args[0].kind == Kind::list) return elementAt(run, args[0], args[1], call.at);
  if (args[0].kind == Kind::map) return run.lookUp(args[0], args[1], call.at);
  return noOverload(call);
}

Value in(Run& run, const Node& call, std::span<const Value> args) {
  if (args[1].kind == Kind::map) return Value::ofBool(run.hasKey(args[1], args[0]));
  if (args[1].kind != Kind::list) return noOverload(call);
  ItemCursor cursor(run, args[1], call.at);
  for (Value item; cursor.next(item);) {
    if (run.equal(item, args[0])) return Value::ofBool(true);
  }
  return Value::ofBool(false);
}

constexpr OverloadRow kContainerRows[] = {
    {"_[_]", Style::global, "list(A),int", "A", index},
    {"_[_]", Style::global, "map(A,B),A", "B", index},
    {"@in", Style::global, "A,list(A)", "bool", in},
    {"@in", Style::global, "A,map(A,B)", "bool", in},
};

}  // namespace

std::span<const OverloadRow> containerOverloads() {
  return kContainerRows;
}

Value Run::fromBson(doc::ValueView value, Position at) {
  switch (value.type()) {
    case doc::BsonType::null:
      return {};
    case doc::BsonType::boolean:
      return Value::ofBool(value.asBool());
    case doc::BsonType::int32:
      return Value::ofInt(value.asInt32());
    case doc::BsonType::int64:
      return Value::ofInt(value.asInt64());
    case doc::BsonType::real:
      return Value::ofReal(value.asReal());
    case doc::BsonType::decimal:
      return Value::ofReal(value.toReal());
    case doc::BsonType::string:
      return Value::ofString(value.asString());
    case doc::BsonType::binary:
      return Value::ofBytes(value.asBinary());
    case doc::BsonType::document:
      return Value::ofText(Kind::map, value.raw());
    case doc::BsonType::array:
      return Value::ofText(Kind::list, value.raw());
    case doc::BsonType::date:
      return fromDate(value.asDate().ms, at);
    case doc::BsonType::objectId: {
      char* text = allocate(24);
      if (text == nullptr) return Value::ofError(kCostLimit, at);
      char* out = text;
      for (const char c : value.asObjectId()) {
        const auto byte = static_cast<unsigned char>(c);
        *out++ = "0123456789abcdef"[byte >> 4];
        *out++ = "0123456789abcdef"[byte & 15];
      }
      return Value::ofString({text, 24});
    }
    default:
      return Value::ofError("a value of this type cannot be used", at);
  }
}

std::optional<doc::ValueView> Run::findField(std::string_view document, std::string_view key) {
  uint64_t examined = 0;
  std::optional<doc::ValueView> found;
  for (const doc::Element& element : doc::DocumentView(document)) {
    ++examined;
    if (element.key != key) continue;
    found = element.value;
    break;
  }
  if (!charge(examined / kEntriesPerStep)) return std::nullopt;
  return found;
}

Value Run::lookUp(const Value& map, std::string_view key, Position at) {
  if (map.owned) return lookUp(map, Value::ofString(key), at);
  const auto found = findField(map.text(), key);
  return found ? fromBson(*found, at) : Value::ofError("no such key", at);
}

Value Run::lookUp(const Value& map, const Value& key, Position at) {
  if (map.owned) {
    const Value* found = isKey(key) ? findOwned(*this, map, key) : nullptr;
    return found != nullptr ? *found : Value::ofError("no such key", at);
  }
  if (key.kind != Kind::string) return Value::ofError("no such key", at);
  return lookUp(map, key.text(), at);
}

bool Run::hasKey(const Value& map, const Value& key) {
  if (map.owned) return isKey(key) && findOwned(*this, map, key) != nullptr;
  return key.kind == Kind::string && findField(map.text(), key.text()).has_value();
}

uint64_t Run::sizeOf(const Value& container) {
  if (container.owned) return container.size;
  const uint64_t count = bsonOf(container).count();
  charge(count / kEntriesPerStep);
  return count;
}

bool Run::equal(const Value& a, const Value& b, int depth) {
  if (depth > kMaxDepth) exhaust();
  if (!charge(1)) return false;
  if (a.isNumber() && b.isNumber()) return compareNumbers(a, b) == std::partial_ordering::equivalent;
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Kind::null:
      return true;
    case Kind::boolean:
      return a.boolean == b.boolean;
    case Kind::string:
    case Kind::bytes:
      return a.size == b.size && chargeScan(a.size) && memcmp(a.data, b.data, a.size) == 0;
    case Kind::timestamp:
      return a.integer == b.integer && a.nanos == b.nanos;
    case Kind::duration:
      return a.integer == b.integer;
    case Kind::type:
      return a.denoted == b.denoted;
    case Kind::list:
      return equalLists(*this, a, b, depth);
    case Kind::map:
      return equalMaps(*this, a, b, depth);
    default:
      return false;
  }
}

ItemCursor::ItemCursor(Run& run, const Value& container, Position at)
    : run_(run), container_(container), at_(at), bson_(bsonOf(container).begin()), end_(bsonOf(container).end()) {}

bool ItemCursor::next(Value& item) {
  if (container_.owned) {
    if (index_ == container_.size || !run_.charge(1)) return false;
    item = container_.kind == Kind::list ? container_.items[index_] : container_.entries[index_].key;
    ++index_;
    return true;
  }
  if (bson_ == end_ || !run_.charge(1)) return false;
  item = container_.kind == Kind::list ? run_.fromBson(bson_->value, at_) : Value::ofString(bson_->key);
  ++bson_;
  return true;
}

EntryCursor::EntryCursor(Run& run, const Value& map, Position at)
    : run_(run), map_(map), at_(at), bson_(bsonOf(map).begin()), end_(bsonOf(map).end()) {}

bool EntryCursor::next(MapEntry& entry) {
  if (map_.owned) {
    if (index_ == map_.size || !run_.charge(1)) return false;
    entry = map_.entries[index_++];
    return true;
  }
  if (bson_ == end_ || !run_.charge(1)) return false;
  entry = {Value::ofString(bson_->key), run_.fromBson(bson_->value, at_)};
  ++bson_;
  return true;
}

}  // namespace mb::cel
