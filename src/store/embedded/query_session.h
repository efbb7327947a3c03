// The state of one step of a query.
#pragma once

#include "store/embedded/keys.h"
#include "store/embedded/query_run.h"

namespace mb::store::embedded {

// Documents read at a time.
inline constexpr size_t kChunk = 128;

struct QueryRun::Session {
  Session(Database& database, const Budget& given, uint64_t count)
      : budget(given), number(count), snapshot(database.db()), options(Database::reading(given.tier)) {
    options.snapshot = snapshot.get();
    // A scan reads each block once, and must not evict blocks that are read repeatedly.
    options.fill_cache = !isScan();
  }
  bool isScan() const { return budget.keys == UINT64_MAX; }
  // Called before each key: true when the step must end.
  bool spent() {
    if (++used > budget.keys) return true;
    if (!budget.expired || ((used & 63) != 0 && WorkBudget::left() > checkBelow)) return false;
    checkBelow = WorkBudget::left() - kCoreWork;
    return budget.expired();
  }

  const Budget& budget;
  const uint64_t number;
  uint64_t used = 0;
  int64_t checkBelow = WorkBudget::left() - kCoreWork;  // checks again after this much work, whatever the keys
  SnapshotHold snapshot;
  rocksdb::ReadOptions options;
};

}  // namespace mb::store::embedded
