// Where a page of a sorted query begins, as a condition of the server.
#pragma once

#include <span>

#include "document/bson.h"
#include "store/store.h"

namespace mb::store::mongo {

// Matches all documents after `position` (pageEnd() of plain_sort.h) in the order, and perhaps others: values of arrays
// are compared one by one. An order of ids is exact.
doc::Document afterPosition(const std::vector<SortKey>& sort, doc::DocumentView position,
                            const CollectionRef& collection);

// The same for keys of stored documents, of which the last is unique. `values`: [{is: <value>}, …], by keys.
doc::Document afterValues(std::span<const SortKey> keys, doc::DocumentView values);

}  // namespace mb::store::mongo
