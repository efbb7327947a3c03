// The room, wired: made once by app/, before the first request.
#pragma once

#include <memory>
#include <vector>

#include "data/collection_table.h"
#include "data/collections.h"
#include "data/data_deps.h"
#include "data/documents.h"
#include "data/expiry.h"
#include "data/service_documents.h"

namespace mb::data {

// Collections of the system that this room owns (numbers 50 to 69); to be given to the store when it opens.
std::vector<store::SystemCollection> systemCollections();

class Data {
 public:
  // Adds the room's slot to `deps.snapshots`. `projects` is asked by the expiry.
  static std::unique_ptr<Data> build(DataDeps deps, ProjectNumbers projects);

  snapshot::SlotKey<CollectionTable> slot() const { return slot_; }
  Documents& documents() { return documents_; }
  ServiceDocuments& serviceDocuments() { return serviceDocuments_; }
  Collections& collections() { return collections_; }
  Expiry& expiry() { return expiry_; }

 private:
  Data(DataDeps deps, ProjectNumbers projects);

  DataDeps deps_;
  CollectionTableSource source_;
  snapshot::SlotKey<CollectionTable> slot_;
  Documents documents_;
  ServiceDocuments serviceDocuments_;
  Collections collections_;
  Expiry expiry_;
};

}  // namespace mb::data
