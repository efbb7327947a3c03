// The filter language: parsed once into a typed tree, matched in process, read by the planner. Operators and semantics
// are MongoDB's; docs/policies.md, "Filters", lists the operators.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "document/bson.h"
#include "document/path.h"

namespace re2 {
class RE2;
}

namespace mb::doc {

struct FilterNode;
using FilterNodes = std::vector<std::shared_ptr<const FilterNode>>;

enum class FilterOp {
  all,     // and of children ($and, an object of several conditions); true if empty
  any,     // $or
  none,    // $nor
  negate,  // $not: one child
  eq,      // also {field: value}; `operand`
  gt,
  gte,
  lt,
  lte,
  in,         // `operands` (ascending, unique) and `patterns`: a value equal to one of them (ne and nin are negate(eq)
              // and negate(in))
  exists,     // `flag`
  type,       // `types`
  contains,   // $all: `operands`, each equal to the field or one of its elements, and children for each $elemMatch and
              // pattern; matches nothing if both are empty
  elemMatch,  // one child, applied to each element: as a document (path-rooted), or `elementIsValue`
  size,       // `number`
  mod,        // `divisor`, `remainder`
  regex,      // `patterns[0]`
};

// Whether the condition compares values with `operand`.
constexpr bool isComparison(FilterOp op) {
  return op == FilterOp::eq || op == FilterOp::gt || op == FilterOp::gte || op == FilterOp::lt || op == FilterOp::lte;
}

struct Pattern {
  std::string source;
  std::string options;  // i m s x
  std::shared_ptr<const re2::RE2> compiled;
  // The literal text at the beginning of every match (anchored, case-sensitive patterns only); empty if unknown.
  std::string prefix;
};

struct FilterNode {
  FilterOp op = FilterOp::all;
  FieldPath path;  // empty for all, any, none, and for the conditions on an element inside elemMatch
  FilterNodes children;
  Value operand;
  std::vector<Value> operands;
  std::vector<Pattern> patterns;
  std::vector<BsonType> types;
  bool anyNumber = false;  // $type: "number"
  bool flag = false;
  bool elementIsValue = false;
  int64_t number = 0;
  int64_t divisor = 0;
  int64_t remainder = 0;
};

// Converts the constants of a filter to the types of stored values: a schema's x-bson types and the server's own dates.
class FilterCoercion {
 public:
  virtual ~FilterCoercion() = default;
  // The value to compare with at `path` instead of `given`, or nullopt to use `given`.
  virtual std::optional<Value> coerce(std::string_view path, ValueView given) const = 0;
};

// Further limits are fixed: all compiled patterns together 10,000 instructions, 1,000 values in one $in or $nin, 1,000
// bytes in a pattern, and 8 numeric steps in a path, as each can be read two ways. A value of $all and a pattern each
// count as a condition.
struct FilterLimits {
  int maxConditions = 100;
  int maxDepth = 20;
};

class Filter {
 public:
  Filter();  // matches everything

  // Fails with invalidFilter, naming the operator or path.
  static Result<Filter> parse(DocumentView source, const FilterCoercion* coercion = nullptr,
                              const FilterLimits& limits = {});
  // Matches documents that both match. Shares the trees.
  static Filter both(const Filter& a, const Filter& b);
  // {field: value}, for lookups by the server.
  static Filter equals(std::string_view path, ValueView value);
  static Filter equals(std::string_view path, std::string_view text);
  // From the tree of a parsed filter with changed constants. REQUIRES: the operands of `in` are ascending and unique.
  static Filter fromTree(std::shared_ptr<const FilterNode> root) {
    Filter filter;
    filter.root_ = std::move(root);
    return filter;
  }

  bool matchesAll() const;  // no condition at all
  // Charges the thread's WorkBudget; once that is used up, the result has no meaning.
  bool matches(DocumentView document) const;
  const FilterNode& root() const { return *root_; }
  // The path of every condition, nested $elemMatch joined with its parent ("a" and "a.b").
  std::vector<std::string> paths() const;

 private:
  std::shared_ptr<const FilterNode> root_;
};

// Matches a string in linear time and within the thread's WorkBudget (document/pattern.h).
bool matchesPattern(const Pattern& pattern, std::string_view text);

}  // namespace mb::doc
