// The fields that the indexes of a collection hold for its policy, so that documents that it hides are not read.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "document/bson.h"

namespace mb::data {

// `ownerId` if the filter of the list or read rule names it. `policy`: as saved.
std::vector<std::string> fieldsForPolicy(doc::DocumentView policy);
// Fails with validation if a filter names `_id`, which documents of an owner's database do not show.
Result<> refuseKeyFilters(doc::DocumentView policy);

}  // namespace mb::data
