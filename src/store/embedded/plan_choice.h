// PlanChoice chooses among the plans of a query: it counts the keys that each would read, a few of each at first and
// more until the cheapest is known; a plan with too many keys is estimated from the sizes of its key ranges.
#pragma once

#include "store/embedded/database.h"
#include "store/embedded/plan_memory.h"
#include "store/embedded/planner.h"

namespace mb::store::embedded {

// The inputs of a choice.
struct Purpose {
  Tier tier = Tier::memory;
  uint64_t enough = 0;     // documents to return, including skipped ones
  uint64_t documents = 0;  // in the collection
  uint64_t bytes = 0;      // of these documents
  bool counting = false;
  bool keysOnly = false;  // documents are not read if the keys show that they match
  bool sorted = false;    // an order other than by ascending id is required
  bool trusting = true;   // a recent choice for this shape may be used
};

class PlanChoice {
 public:
  PlanChoice(Database& database, const rocksdb::ReadOptions& options, const Purpose& purpose)
      : database_(database), options_(options), purpose_(purpose) {}

  // Returns nullopt if the keys to count are not in memory, or are too many for a core.
  Result<std::optional<Plan>> choose(Candidates candidates, CollectionRef collection, PlanMemory& memory);

  // After choose(): the number of read keys from which on a remembered choice counts as a mistake.
  uint64_t distrustAfter() const { return distrustAfter_; }

 private:
  struct Scored {
    Plan* plan;
    uint64_t keys = 0;
    bool counted = false;  // all its keys
  };
  Result<bool> flatten(Candidates& candidates, std::vector<Plan>& plans);
  // The index of the cheapest plan; nullopt as for choose().
  Result<std::optional<size_t>> cheapest(std::vector<Plan>& plans);
  Result<bool> count(Scored& scored, uint64_t cap);
  void estimate(Scored& scored);
  uint64_t keysOf(const Scored& scored, uint64_t minKeys) const;
  uint64_t costOf(const Scored& scored, uint64_t minKeys) const;
  bool isKnown(const Scored& scored) const;
  uint64_t shapeOf(const std::vector<Plan>& plans, const CollectionRef& collection) const;

  Database& database_;
  const rocksdb::ReadOptions& options_;
  const Purpose purpose_;
  uint64_t expected_ = 0;
  uint64_t distrustAfter_ = UINT64_MAX;
};

}  // namespace mb::store::embedded
