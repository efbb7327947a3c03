// Queries of system collections, for the modules that own their records.
#pragma once

#include "store/store.h"

namespace mb::store {

// The deadline of work that has no request's deadline: ten seconds from now.
inline Deadline readDeadline() {
  return std::chrono::steady_clock::now() + std::chrono::seconds(10);
}

// The matching documents in ascending id.
inline Query queryOf(CollectionRef collection, doc::Filter filter, uint64_t limit, Deadline deadline,
                     uint64_t skip = 0) {
  return {.collection = collection,
          .filter = std::move(filter),
          .skip = skip,
          .limit = limit,
          .sort = {},
          .deadline = deadline};
}

}  // namespace mb::store
