// Which fields the indexes of a collection are to hold for its policy, so that what the policy hides is not read.
#pragma once

#include <string>
#include <vector>

#include "document/bson.h"

namespace mb::data {

// `ownerId`, where the filter of the list or read rule names it. `policy`: as saved.
std::vector<std::string> fieldsForPolicy(doc::DocumentView policy);

}  // namespace mb::data
