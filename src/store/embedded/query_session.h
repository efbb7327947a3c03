// The snapshot and the iterators of one step of a query.
#pragma once

#include "store/embedded/query_run.h"

namespace mb::store::embedded {

// An iterator that ends where the last range of a plan does.
class RangeReader {
 public:
  RangeReader(Database& database, Family family, rocksdb::ReadOptions options, const std::vector<KeyRange>& ranges)
      : bound_(ranges.empty() ? std::string() : ranges.back().to), upper_(bound_) {
    if (!bound_.empty()) options.iterate_upper_bound = &upper_;
    iterator_.reset(database.db().NewIterator(options, database.family(family)));
  }
  RangeReader(const RangeReader&) = delete;
  RangeReader& operator=(const RangeReader&) = delete;

  void seek(std::string_view key) { iterator_->Seek(slice(key)); }
  void next() { iterator_->Next(); }
  bool isBelow(std::string_view end) const { return iterator_->Valid() && (end.empty() || key() < end); }
  std::string_view key() const { return view(iterator_->key()); }
  std::string_view value() const { return view(iterator_->value()); }
  rocksdb::Status status() const { return iterator_->status(); }

 private:
  const std::string bound_;
  const rocksdb::Slice upper_;
  std::unique_ptr<rocksdb::Iterator> iterator_;
};

struct QueryRun::Session {
  Session(Database& database, const Budget& given, uint64_t count)
      : budget(given), number(count), snapshot(database.db()), options(Database::reading(given.tier)) {
    options.snapshot = snapshot.get();
  }
  // To be asked before each key: true when the step has to end.
  bool spent() {
    if (++used > budget.keys) return true;
    return (used & 63) == 0 && budget.expired && budget.expired();
  }

  const Budget& budget;
  const uint64_t number;
  uint64_t used = 0;
  SnapshotHold snapshot;
  rocksdb::ReadOptions options;
  std::unique_ptr<RangeReader> reader;    // of plan_'s ranges; placed where the reading is
  std::unique_ptr<RangeReader> prepared;  // of plan_'s ranges, not yet placed
};

}  // namespace mb::store::embedded
