// The walk of walkPath and the matcher, inlined into its visitor: no allocation, no indirect call. It follows the rules
// of path.h (MongoDB's), except that nothing is visited for an array without a value for the path.
#pragma once

#include <span>

#include "base/work_budget.h"
#include "document/path.h"

namespace mb::doc {

// The cost of an element (base/work_budget.h).
inline constexpr int64_t kUnitsPerElement = 4;

using Steps = std::span<const std::string>;

inline bool isAllDigits(std::string_view step) {
  for (const char c : step) {
    if (c < '0' || c > '9') return false;
  }
  return !step.empty();
}

// `visit` takes a const ValueView*, null for "missing here", and returns true to stop. These functions return true if
// it did, and if the thread's WorkBudget is used up.
template <class Visit>
bool visitLeaf(ValueView value, Leaf leaf, Visit& visit) {
  if (value.type() == BsonType::array && leaf == Leaf::elementsToo) {
    for (const Element& element : value.asDocument()) {
      if (visit(&element.value)) return true;
    }
  }
  return visit(&value);
}

template <class Visit>
bool traverseArray(DocumentView array, Steps rest, Leaf leaf, Visit& visit);

template <class Visit>
bool traverse(DocumentView document, Steps steps, Leaf leaf, Visit& visit) {
  while (true) {
    const auto value = document.find(steps.front());
    if (!value) return visit(nullptr);
    steps = steps.subspan(1);
    if (steps.empty()) return visitLeaf(*value, leaf, visit);
    if (value->type() == BsonType::array) return traverseArray(value->asDocument(), steps, leaf, visit);
    if (value->type() != BsonType::document) return visit(nullptr);
    document = value->asDocument();
  }
}

template <class Visit>
bool traverseArray(DocumentView array, Steps rest, Leaf leaf, Visit& visit) {
  const bool byPosition = isAllDigits(rest.front());
  for (const Element& element : array) {
    if (!WorkBudget::charge(kUnitsPerElement)) return true;
    const ValueView& value = element.value;
    if (value.type() == BsonType::document && traverse(value.asDocument(), rest, leaf, visit)) return true;
    if (!byPosition || element.key != rest.front()) continue;
    if (rest.size() == 1) {
      if (visit(&value)) return true;
    } else if (value.type() == BsonType::document) {
      if (traverse(value.asDocument(), rest.subspan(1), leaf, visit)) return true;
    } else if (value.type() == BsonType::array) {
      if (traverseArray(value.asDocument(), rest.subspan(1), leaf, visit)) return true;
    }
  }
  return false;
}

}  // namespace mb::doc
