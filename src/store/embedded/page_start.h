// Where a page of a sorted query starts in the ranges of a plan: what its order puts before the start is not read, so
// that a late page costs what the first one does.
#pragma once

#include "store/embedded/planner.h"

namespace mb::store::embedded {

// The position after which a page starts.
struct PageStart {
  // The encoded values of the sort keys (SortOrder::keys), in their directions, and further ones, which are ignored.
  std::vector<std::string_view> values;
  std::string_view id;
};

// Narrows the ranges of each plan whose order, or that of its first keys, follows the sort keys. Entries at or before
// the start may remain.
void startAfter(Candidates& candidates, const SortOrder& order, const PageStart& start);

}  // namespace mb::store::embedded
