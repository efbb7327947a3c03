// Validation of stored test cases. See docs/functions.md, "Tests".
#pragma once

#include <vector>

#include "base/error.h"
#include "document/bson.h"

namespace mb::functions {

// Adds the problems of the cases, at "/tests/<n>/…".
void checkTests(const std::vector<doc::Document>& tests, std::vector<ErrorDetail>& problems);

// The stored form of a case: named fields in the documented order, collections and stubs by name, values unchanged.
// REQUIRES: the case is valid.
doc::Document canonicalTest(doc::DocumentView test);

}  // namespace mb::functions
