// A Condition is what a filter requires of one field. The planner uses the conditions of a filter that must all hold.
#pragma once

#include "store/embedded/schema.h"

namespace mb::store::embedded {

struct Condition {
  enum class Kind {
    points,   // the field equals one of `values`
    lower,    // greater than values[0], or equal when `inclusive`
    upper,    // less than values[0], or equal when `inclusive`
    prefix,   // a string that begins with `prefix`
    present,  // {$exists: true}; no bounds
    either,   // one of the children of `node` holds
    other,    // not usable as index bounds
  };
  Kind kind = Kind::other;
  std::string path;
  std::vector<doc::ValueView> values;  // views into the filter
  std::string prefix;
  bool inclusive = false;
  // It covers its part of the filter completely.
  bool whole = false;
  // The index entries within its bounds are exactly the matching ones.
  bool provable = false;
  // It excludes documents where the field is missing or null.
  bool excludesMissing = false;
  const doc::FilterNode* node = nullptr;  // of kind `either`: the $or
  // Conditions of one $elemMatch must hold for the same element.
  const doc::FilterNode* element = nullptr;
  // The part of the filter that it is derived from; several conditions may share one.
  const doc::FilterNode* part = nullptr;
};

// The conditions that must all hold; each part that cannot be used yields one of kind `other`. Valid as long as the
// filter.
std::vector<Condition> conditionsOf(const doc::FilterNode& filter);
// Whether every document that satisfies `conditions` satisfies `partial` too; then sets `met[i]` for each condition
// that the partial filter itself guarantees.
bool implies(const std::vector<Condition>& conditions, const doc::Filter& partial, std::vector<bool>& met);

}  // namespace mb::store::embedded
