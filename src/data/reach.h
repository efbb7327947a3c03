// Which collections a caller may know of.
#pragma once

#include "data/collection_table.h"
#include "policy/caller.h"

namespace mb::data {

// Whether the caller has a permission and a rule for any operation on documents of the collection; without a token, a
// public rule.
bool isReachable(const policy::Caller& caller, const Collection& collection);

}  // namespace mb::data
