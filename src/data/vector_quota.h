// The limit `vectors` of a project's plan. The commit that adds vectors decides: it limits kVectors. Where the plan has
// no such limit nothing is read or limited.
#pragma once

#include <optional>
#include <vector>

#include "data/vector_counts.h"
#include "plans/plans.h"

namespace mb::data {

// Any core. The store outlives it.
class VectorQuota {
 public:
  // `plan`: nullopt limits nothing.
  VectorQuota(store::DocumentStore& store, std::optional<plans::PlanSlot> plan) : store_(store), plan_(plan) {}

  // nullopt: unlimited.
  std::optional<int64_t> max(const snapshot::ProjectSnapshot& project) const;
  // Of a write that may add vectors; empty: unlimited.
  std::vector<store::CounterLimit> limits(const snapshot::ProjectSnapshot& project) const;
  // The vectors of the project.
  Task<int64_t> use(store::ProjectNo project) const { return store_.counter(vectorCounterOf(project)); }

  // The error of vectors that do not fit; `use` is without them. REQUIRES: max().
  Error exceeded(const snapshot::ProjectSnapshot& project, int64_t use) const;
  // Whether the limit refused a write with limits().
  static bool refused(const Error& error);
  // The error of a failed write with limits(): as exceeded() where the limit refused it, else as it is.
  Async<Error> explained(snapshot::SnapshotPtr project, Error error) const;

 private:
  store::DocumentStore& store_;
  std::optional<plans::PlanSlot> plan_;
};

struct DataDeps;
// limits() and explained() of writes to documents of the collection, for callers that hold no snapshot.
Task<std::vector<store::CounterLimit>> vectorLimits(const DataDeps& deps, const Collection& collection);
Async<Error> vectorRefusal(const DataDeps& deps, const Collection& collection, Error error);

}  // namespace mb::data
