// What a stored test case of a function may be. Source: decisions 5 ("Test case").
#pragma once

#include <vector>

#include "base/error.h"
#include "document/bson.h"

namespace mb::functions {

// Adds what is wrong with the cases, at "/tests/<n>/…".
void checkTests(const std::vector<doc::Document>& tests, std::vector<ErrorDetail>& problems);

// A case without problems as it is stored: fields that a name is given for in the interface in its order, collections
// and stubs by name; values as they are.
doc::Document canonicalTest(doc::DocumentView test);

}  // namespace mb::functions
