// Documents that a stored test expects to find in a collection, each another one.
#pragma once

#include <optional>
#include <vector>

#include "document/bson.h"

namespace mb::functions {

// The first of `expected` that has no match of its own in `actual` (document/subset.h); nullopt where each has one.
std::optional<size_t> firstUnmatched(const std::vector<doc::ValueView>& expected,
                                     const std::vector<doc::ValueView>& actual);

}  // namespace mb::functions
