// Compares a value with the expectation of a stored test: objects must have the expected fields, arrays the same
// elements in the same order, other values must be equal in JSON.
#pragma once

#include <optional>
#include <string>

#include "document/bson.h"

namespace mb::doc {

// nullopt if it matches; else a message with the position, such as "result.total is 4, not 3". `actual` is nullopt for
// an absent value, which null matches.
std::optional<std::string> mismatch(const std::string& path, ValueView expected, std::optional<ValueView> actual);

}  // namespace mb::doc
