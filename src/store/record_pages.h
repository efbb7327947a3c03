// Reads all records of a system collection, however large they are together.
#pragma once

#include <vector>

#include "store/store.h"

namespace mb::store {

// All records in the order of ids, read in pages whose size never makes them fail. The result is not a snapshot: a
// record that changes during the call may be missing, so a caller that caches it watches the project's epoch.
Task<std::vector<doc::Document>> allRecords(DocumentStore& store, CollectionRef collection);
// The same for ids that consist of `prefix` and ASCII characters.
Task<std::vector<doc::Document>> recordsWithPrefix(DocumentStore& store, CollectionRef collection, std::string prefix);

}  // namespace mb::store
