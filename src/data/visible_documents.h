// What a filter and a policy show of documents that were read by their ids.
#pragma once

#include "base/task.h"
#include "document/field_set.h"
#include "document/filter.h"

namespace mb::data {

// What the matching of one call may cost in all (base/work_budget.h): some tenth of a second.
inline constexpr int64_t kMatchWork = 100'000'000;

// Resets what the filter does not show. Gives others a turn on the core between documents, and takes what matching cost
// from `work`; fails with queryTooCostly once that is used up, or one document takes longer than a turn.
Task<> hideUnmatched(const doc::Filter& filter, std::vector<std::optional<doc::Document>>& documents, int64_t& work);

// Leaves the fields in `hidden` out of the document. Takes what it costs from `work`; fails with queryTooCostly where
// that does not suffice.
Result<> stripHidden(const doc::FieldSet& hidden, doc::Document& document, int64_t& work);

}  // namespace mb::data
