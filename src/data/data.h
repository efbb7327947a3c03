// The module, wired: made once by app/, before the first request.
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

// Collections of the system that this module owns (numbers 50 to 69); to be given to the store when it opens.
std::vector<store::SystemCollection> systemCollections();

class Data {
 public:
  // Adds the module's slot to `deps.snapshots`. `projects` is asked by the expiry.
  static std::unique_ptr<Data> build(DataDeps deps, ProjectNumbers projects);

  snapshot::SlotKey<CollectionTable> slot() const { return slot_; }
  Documents& documents() { return documents_; }
  ServiceDocuments& serviceDocuments() { return serviceDocuments_; }
  Collections& collections() { return collections_; }
  Expiry& expiry() { return expiry_; }
  FairPool& pool() { return pool_; }  // for tests

  // After all that reads, writes or configures: what still waits for the pools gets unavailable.
  void stop() {
    pool_.stop();
    tables_.stop();
  }

 private:
  Data(DataDeps deps, ProjectNumbers projects);

  static constexpr int kThreads = 2;

  DataDeps deps_;
  FairPool pool_{"data", kThreads};  // for what would hold a core for long: large schemas, large answers
  // Apart, as a project without its table answers nothing.
  FairPool tables_{"tables", kThreads};
  CollectionTableSource source_;
  snapshot::SlotKey<CollectionTable> slot_;
  Documents documents_;
  ServiceDocuments serviceDocuments_;
  Collections collections_;
  Expiry expiry_;
};

}  // namespace mb::data
