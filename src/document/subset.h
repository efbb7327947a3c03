// Whether a value holds what a stored test expects of it: of objects the named fields, of arrays every element in its
// place, of everything else the same value, as JSON shows it.
#pragma once

#include <optional>
#include <string>

#include "document/bson.h"

namespace mb::doc {

// nullopt where it does; else what is wrong and where, such as "result.total is 4, not 3". `actual` is empty for what
// is not there at all, which null matches.
std::optional<std::string> mismatch(const std::string& path, ValueView expected, std::optional<ValueView> actual);

}  // namespace mb::doc
