// Converts parsed filters back to documents, for people to read.
#pragma once

#include <string_view>
#include <vector>

#include "document/filter.h"

namespace mb::doc {

// The name of the operator: "$in"; "$not" of a negation, whatever it negates.
std::string_view operatorName(FilterOp op);
// A filter that Filter::parse() reads and that matches the same documents.
Document filterDocument(const Filter& filter);
// The conditions that must all hold, each as a filter of its own whose root is the condition. The filter matches where
// all of them do; they are in the order in which it evaluates them. `filter` outlives
// them.
std::vector<Filter> conditionsOf(const Filter& filter);

}  // namespace mb::doc
