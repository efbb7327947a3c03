// What a stored test case of a function may be. Source: decisions 5 ("Test case").
#pragma once

#include <vector>

#include "base/error.h"
#include "document/bson.h"

namespace mb::functions {

// Adds what is wrong with the cases, at "/tests/<n>/…".
void checkTests(const std::vector<doc::Document>& tests, std::vector<ErrorDetail>& problems);

}  // namespace mb::functions
