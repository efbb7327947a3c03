// The choice among the plans of a query: by counting the keys that each would read, a few of each at first and more as
// long as the cheapest is not known; what is too much to be counted is estimated from the sizes of its key ranges.
#pragma once

#include "store/embedded/database.h"
#include "store/embedded/plan_memory.h"
#include "store/embedded/planner.h"

namespace mb::store::embedded {

// What a choice is for.
struct Purpose {
  Tier tier = Tier::memory;
  uint64_t enough = 0;     // documents asked for, skipped ones included
  uint64_t documents = 0;  // in the collection
  uint64_t bytes = 0;      // of them
  bool counting = false;
  bool keysOnly = false;  // documents need not be fetched where keys tell that they match
  bool sorted = false;    // an order by something else than ascending ids is asked for
  bool trusting = true;   // what was chosen for this shape lately will do
};

class PlanChoice {
 public:
  PlanChoice(Database& database, const rocksdb::ReadOptions& options, const Purpose& purpose)
      : database_(database), options_(options), purpose_(purpose) {}

  // Nothing where the memory does not hold what has to be counted, or more is to be counted than fits a core.
  Result<std::optional<Plan>> choose(Candidates candidates, CollectionRef collection, PlanMemory& memory);

  // After choose(): the keys after which a remembered choice was a mistake.
  uint64_t distrustAfter() const { return distrustAfter_; }

 private:
  struct Scored {
    Plan* plan;
    uint64_t keys = 0;
    bool counted = false;  // to the end
  };
  Result<bool> flatten(Candidates& candidates, std::vector<Plan>& plans);
  // The place of the cheapest; nothing as for choose().
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
