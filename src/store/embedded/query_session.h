// What one step of a query holds.
#pragma once

#include "store/embedded/keys.h"
#include "store/embedded/query_run.h"

namespace mb::store::embedded {

// Documents fetched at a time.
inline constexpr size_t kChunk = 128;

struct QueryRun::Session {
  Session(Database& database, const Budget& given, uint64_t count)
      : budget(given), number(count), snapshot(database.db()), options(Database::reading(given.tier)) {
    options.snapshot = snapshot.get();
    // A scan passes by everything once, and what it passes by must not push out what is asked for again.
    options.fill_cache = !isScan();
  }
  bool isScan() const { return budget.keys == UINT64_MAX; }
  // To be asked before each key: true when the step has to end.
  bool spent() {
    if (++used > budget.keys) return true;
    if (!budget.expired || ((used & 63) != 0 && WorkBudget::left() > askBelow)) return false;
    askBelow = WorkBudget::left() - kCoreWork;
    return budget.expired();
  }

  const Budget& budget;
  const uint64_t number;
  uint64_t used = 0;
  int64_t askBelow = WorkBudget::left() - kCoreWork;  // and after so much work, whatever the keys
  SnapshotHold snapshot;
  rocksdb::ReadOptions options;
};

}  // namespace mb::store::embedded
