// Limits of plans as arguments and as text: "storageBytes=5GiB", "vectors=unlimited".
#pragma once

#include "base/error.h"
#include "document/bson.h"
#include "plans/plans.h"

namespace mb::cli {

// The body `{storageBytes: 5368709120, vectors: null}` for arguments that blanks separate. Values are integers from 0
// to 2^53 - 1, of storageBytes also with KiB, MiB, GiB or TiB, or "unlimited". Fails with invalidParam: another form or
// value, an unknown limit, one that is given twice.
Result<doc::Document> limitsIn(std::string_view arguments);

// "5.0 GiB", "1,000", "unlimited" for nullopt.
std::string amountOf(plans::Limit limit, std::optional<int64_t> amount);

// A price from 0 to 1,000,000,000, such as "25" or "24.5". Fails with invalidParam.
Result<double> priceIn(const std::string& argument);

// Fails with invalidParam unless both are days, such as 2026-01-31, and `from` is not after `to`.
Result<> checkDays(std::string_view from, std::string_view to);

}  // namespace mb::cli
