// A Run is one evaluation: its variables, its memory and its remaining cost. Lives on the stack of Expression::test.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "document/bson.h"
#include "policy/cel/ast.h"
#include "policy/cel/cel.h"

namespace mb::cel {

// The work that costs one step.
inline constexpr uint64_t kScanBytesPerStep = 64;
inline constexpr uint64_t kCopyBytesPerStep = 16;
inline constexpr uint64_t kEntriesPerStep = 8;
inline constexpr const char* kCostLimit = "the cost limit is exceeded";

class Run {
 public:
  Run(const Program& program, std::span<const Variable> variables, int costLimit);
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // Returns the value of a tree, which may be an error. Strings, lists and maps are valid as long as the run, the
  // program and the variables.
  Value evaluate(const Node& node);

  // Subtracts from the remaining cost; false once it is used up, and for all later calls.
  bool charge(uint64_t steps);
  bool chargeScan(uint64_t bytes) { return charge(1 + bytes / kScanBytesPerStep); }
  // True once the limit was exceeded: the run has failed, whatever its result.
  bool exhausted() const { return exhausted_; }
  void exhaust() { exhausted_ = true; }

  // Uninitialised memory until the run ends, charged by size; null if the remaining cost does not suffice.
  char* allocate(size_t bytes);
  template <class T>
  T* allocateArray(size_t count) {
    return reinterpret_cast<T*>(allocate(count * sizeof(T)));
  }

  Value fromBson(doc::ValueView value, Position at);
  // The entry of a map, or an error if there is no such key; `key` may be any value.
  Value lookUp(const Value& map, const Value& key, Position at);
  Value lookUp(const Value& map, std::string_view key, Position at);
  // Whether the map has the key; false for keys of a type that no map has.
  bool hasKey(const Value& map, const Value& key);
  uint64_t sizeOf(const Value& container);
  // Equality across types; never an error. Charges for the compared data.
  bool equal(const Value& a, const Value& b, int depth = 0);

 private:
  Value evaluateVariable(const Node& node);
  Value evaluateSelect(const Node& node);
  Value evaluateHas(const Node& node);
  Value evaluateCall(const Node& node);
  Value evaluateLogical(const Node& node, bool decisive);
  Value evaluateConditional(const Node& node);
  Value evaluateList(const Node& node);
  Value evaluateMap(const Node& node);
  Value evaluateQuantifier(const Node& node, bool decisive);
  Value evaluateExistsOne(const Node& node);
  Value evaluateCollecting(const Node& node);
  // Fills `out` with the arguments; stops at the first error and returns it.
  Value evaluateInto(const Node& node, Value* out);
  std::optional<doc::ValueView> findField(std::string_view document, std::string_view key);

  const Program& program_;
  uint64_t left_;
  bool exhausted_ = false;
  std::array<Value, 8> variableSpace_;
  std::vector<Value> manyVariables_;
  Value* variables_ = nullptr;
  Value* locals_ = nullptr;
  size_t used_ = 0;
  size_t capacity_ = 0;
  char* block_ = nullptr;
  std::vector<std::unique_ptr<char[]>> blocks_;
  alignas(16) char inline_[1024];
};

// Elements of a list in order, or keys of a map.
class ItemCursor {
 public:
  ItemCursor(Run& run, const Value& container, Position at);
  bool next(Value& item);

 private:
  Run& run_;
  const Value container_;
  const Position at_;
  uint32_t index_ = 0;
  doc::DocumentView::Iterator bson_;
  doc::DocumentView::Iterator end_;
};

// Entries of a map in order.
class EntryCursor {
 public:
  EntryCursor(Run& run, const Value& map, Position at);
  bool next(MapEntry& entry);

 private:
  Run& run_;
  const Value map_;
  const Position at_;
  uint32_t index_ = 0;
  doc::DocumentView::Iterator bson_;
  doc::DocumentView::Iterator end_;
};

// The order of two numbers by value, whatever their types; unordered with NaN. REQUIRES: isNumber() of both.
std::partial_ordering compareNumbers(const Value& a, const Value& b);
// The errors that many functions share.
Value noOverload(const Node& call);
// Builds a list in the arena, with doubling capacity.
class ListBuilder {
 public:
  explicit ListBuilder(Run& run) : run_(run) {}
  // False if the remaining cost does not suffice.
  bool add(const Value& value);
  Value finish() const { return Value::ofList(items_, count_); }

 private:
  Run& run_;
  Value* items_ = nullptr;
  size_t count_ = 0;
  size_t capacity_ = 0;
};

}  // namespace mb::cel
