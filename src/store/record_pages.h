// All records of a system collection that a project's snapshot holds.
#pragma once

#include <vector>

#include "store/store.h"

namespace mb::store {

// In the order of ids, in pages that never fail for their size, however large the records are. Not of one moment: a
// record that changes meanwhile may be in it or not, so whoever keeps it watches the project's epoch.
Task<std::vector<doc::Document>> allRecords(DocumentStore& store, CollectionRef collection);

}  // namespace mb::store
