// Collections that the database of a project's owner does not have any more (docs/own-databases.md): their
// configuration says so (CollectionConfig::isMissing), and their documents are notFound until they are there again.
#pragma once

#include <set>
#include <string>

#include "data/collection_table.h"

namespace mb::data {

// Fails with notFound where the collection is missing.
Result<> checkPresent(const Collection& collection);

// The collection of the table, for its documents. Fails with notFound, also where it is missing.
Result<CollectionPtr> findForDocuments(const CollectionTable& table, std::string_view name);

struct MissingCollectionsDeps {
  store::DocumentStore& store;
  snapshot::Snapshots& snapshots;
  snapshot::SlotKey<CollectionTable> slot;
};

// Stores which collections of the project are missing, by their names there (`absent`); those of the others that were
// are not any more. Applies to requests that begin after it returned. Fails as the store does.
Task<> markMissing(MissingCollectionsDeps deps, snapshot::SnapshotPtr project,
                   std::set<std::string, std::less<>> absent);

}  // namespace mb::data
