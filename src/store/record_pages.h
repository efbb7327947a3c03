// Records of a system collection, however large they are together.
#pragma once

#include <vector>

#include "store/store.h"

namespace mb::store {

// In the order of ids, in pages that never fail for their size, however large the records are. Not of one moment: a
// record that changes meanwhile may be in it or not, so whoever keeps it watches the project's epoch.
Task<std::vector<doc::Document>> allRecords(DocumentStore& store, CollectionRef collection);
// The same of those whose id is `prefix` and ASCII characters after it.
Task<std::vector<doc::Document>> recordsWithPrefix(DocumentStore& store, CollectionRef collection, std::string prefix);

}  // namespace mb::store
