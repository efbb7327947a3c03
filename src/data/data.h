// Data owns the parts of the module. Created once by app/, before the first request.
#pragma once

#include <memory>
#include <vector>

#include "data/collection_table.h"
#include "data/collections.h"
#include "data/data_deps.h"
#include "data/documents.h"
#include "data/expiry.h"
#include "data/grant.h"
#include "data/policy_sets.h"
#include "data/policy_trial.h"
#include "data/reference_jobs.h"
#include "data/service_documents.h"
#include "data/vector_count_jobs.h"
#include "data/vector_quota.h"

namespace mb::data {

// The system collections that this module owns (numbers 50 to 69); passed to the store when it opens.
std::vector<store::SystemCollection> systemCollections();

class Data {
 public:
  // Adds the module's slot to `deps.snapshots`. The expiry calls `projects`.
  static std::unique_ptr<Data> build(DataDeps deps, ProjectNumbers projects);

  snapshot::SlotKey<CollectionTable> slot() const { return slot_; }
  const Grants& grants() const { return grants_; }
  Documents& documents() { return documents_; }
  ServiceDocuments& serviceDocuments() { return serviceDocuments_; }
  Collections& collections() { return collections_; }
  PolicySets& policySets() { return policySets_; }
  const PolicyTrials& policyTrials() const { return policyTrials_; }
  CallerSets& callerSets() { return callerSets_; }
  Expiry& expiry() { return expiry_; }
  ReferenceJobs& referenceJobs() { return referenceJobs_; }
  VectorCountJobs& vectorCounts() { return vectorCounts_; }
  const VectorQuota& vectorQuota() const { return vectorQuota_; }
  FairPool& pool() { return pool_; }  // for tests

  // Call it after everything that reads, writes or configures has stopped: work that still waits for the pools fails
  // with unavailable.
  void stop() {
    pool_.stop();
    tables_.stop();
  }

 private:
  Data(DataDeps deps, ProjectNumbers projects);

  static constexpr int kThreads = 2;

  DataDeps deps_;
  FairPool pool_{"data", kThreads};  // for work that would block a core for long: large schemas, large results
  // Separate, as every request of a project needs its table.
  FairPool tables_{"tables", kThreads};
  CollectionTableSource source_;
  snapshot::SlotKey<CollectionTable> slot_;
  CallerSets callerSets_;
  Grants grants_;
  Documents documents_;
  ServiceDocuments serviceDocuments_;
  Collections collections_;
  PolicySets policySets_;
  PolicyTrials policyTrials_;
  Expiry expiry_;
  ReferenceJobs referenceJobs_;
  VectorCountJobs vectorCounts_;
  VectorQuota vectorQuota_;
};

}  // namespace mb::data
