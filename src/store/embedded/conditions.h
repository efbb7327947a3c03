// What a filter demands of single fields: the conditions that all must hold, read off its tree for the planner.
#pragma once

#include "store/embedded/schema.h"

namespace mb::store::embedded {

struct Condition {
  enum class Kind {
    points,   // the field equals one of `values`
    lower,    // above values[0], or from it on when `inclusive`
    upper,    // likewise below
    prefix,   // a string that begins with `prefix`
    present,  // {$exists: true}; no bounds
    either,   // one of the children of `node` holds
    other,    // nothing that bounds an index
  };
  Kind kind = Kind::other;
  std::string path;
  std::vector<doc::ValueView> values;  // into the filter
  std::string prefix;
  bool inclusive = false;
  // It says all that its part of the filter says.
  bool whole = false;
  // The index entries within its bounds are all matches, and no others are.
  bool provable = false;
  // Rules out documents where the field is missing or null.
  bool excludesMissing = false;
  const doc::FilterNode* node = nullptr;  // of `either`: the $or
  // Conditions of one $elemMatch hold for one and the same element.
  const doc::FilterNode* element = nullptr;
  // The part of the filter that it comes from; several may come from one.
  const doc::FilterNode* part = nullptr;
};

// The conditions of which each must hold; one of kind `other` stands for each that cannot be used. Valid as long as the
// filter.
std::vector<Condition> conditionsOf(const doc::FilterNode& filter);
// Whether every document that meets `conditions` meets `partial` too; `met[i]` is then set for each condition that the
// partial filter itself proves.
bool implies(const std::vector<Condition>& conditions, const doc::Filter& partial, std::vector<bool>& met);

}  // namespace mb::store::embedded
