// Ids that follow from what they stand for, so that what is done again after a crash has the same.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"

namespace mb::webhooks {

// `prefix` and 20 characters of [0-9A-Za-z] like any id's: the first 9 are `at` and `position`, the rest follows from
// `seed`.
std::string stableId(std::string_view prefix, Timestamp at, uint64_t position, std::string_view seed);

}  // namespace mb::webhooks
