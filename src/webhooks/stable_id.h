// Deterministic ids: work that is repeated after a crash gets the same ids.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"

namespace mb::webhooks {

// `prefix` and 20 characters of [0-9A-Za-z], like other ids: the first 9 encode `at` and `position`, the rest is a hash
// of `seed`.
std::string stableId(std::string_view prefix, Timestamp at, uint64_t position, std::string_view seed);

}  // namespace mb::webhooks
