// One evaluation: its variables, its memory and what it may still cost. Lives on the stack of Expression::test.
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

// Work per step: how much of it is scanned or copied for one.
inline constexpr uint64_t kScanBytesPerStep = 64;
inline constexpr uint64_t kCopyBytesPerStep = 16;
inline constexpr uint64_t kEntriesPerStep = 8;
inline constexpr const char* kCostLimit = "the cost limit is passed";

class Run {
 public:
  Run(const Program& program, std::span<const Variable> variables, int costLimit);
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // The value of a tree, an error being a value too. Strings, lists and maps live as long as the run, the program and
  // the variables.
  Value evaluate(const Node& node);

  // Takes from what the run may cost; false, for good, once that is passed.
  bool charge(uint64_t steps);
  bool chargeScan(uint64_t bytes) { return charge(1 + bytes / kScanBytesPerStep); }
  // Set once the limit was passed: whatever the result is then, the run has failed.
  bool exhausted() const { return exhausted_; }
  void exhaust() { exhausted_ = true; }

  // Uninitialised memory until the run ends, paid for by size; null when it cannot be paid.
  char* allocate(size_t bytes);
  template <class T>
  T* allocateArray(size_t count) {
    return reinterpret_cast<T*>(allocate(count * sizeof(T)));
  }

  Value fromBson(doc::ValueView value, Position at);
  // The entry of a map, an error where there is none; `key` may be any value.
  Value lookUp(const Value& map, const Value& key, Position at);
  Value lookUp(const Value& map, std::string_view key, Position at);
  // Whether the map has the key; also false for keys of a kind that no map has.
  bool hasKey(const Value& map, const Value& key);
  uint64_t sizeOf(const Value& container);
  // Equality across types; never an error. Charges what it looks at.
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

// The order of two numbers on one line, whatever their kinds; unordered with NaN. Requires isNumber() of both.
std::partial_ordering compareNumbers(const Value& a, const Value& b);
// The errors that many functions share.
Value noOverload(const Node& call);
// Collects into the arena, doubling.
class ListBuilder {
 public:
  explicit ListBuilder(Run& run) : run_(run) {}
  // False when the run cannot pay for it.
  bool add(const Value& value);
  Value finish() const { return Value::ofList(items_, count_); }

 private:
  Run& run_;
  Value* items_ = nullptr;
  size_t count_ = 0;
  size_t capacity_ = 0;
};

}  // namespace mb::cel
