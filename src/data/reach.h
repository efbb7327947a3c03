// Which collections a caller may know of.
#pragma once

#include "data/collection_table.h"
#include "policy/caller.h"

namespace mb::data {

// Whether a permission and a rule let the caller do anything with documents of the collection.
bool isReachable(const policy::Caller& caller, const Collection& collection);

}  // namespace mb::data
