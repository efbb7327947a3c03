// An iterator that is bounded by the ranges that it reads.
#pragma once

#include "store/embedded/database.h"
#include "store/embedded/planner.h"

namespace mb::store::embedded {

class RangeReader {
 public:
  // Reads `ranges`, which are ascending and must outlive it.
  RangeReader(Database& database, Family family, rocksdb::ReadOptions options, std::span<const KeyRange> ranges) {
    if (!ranges.empty()) {
      lower_ = slice(ranges.front().from);
      upper_ = slice(ranges.back().to);
    }
    options.iterate_lower_bound = &lower_;
    if (!upper_.empty()) options.iterate_upper_bound = &upper_;
    iterator_.reset(database.db().NewIterator(options, database.family(family)));
  }
  RangeReader(const RangeReader&) = delete;
  RangeReader& operator=(const RangeReader&) = delete;

  void seek(std::string_view key) { iterator_->Seek(slice(key)); }
  // Moves to the last key below `key`; empty: to the last key of all.
  void seekBelow(std::string_view key) {
    if (key.empty()) return iterator_->SeekToLast();
    iterator_->SeekForPrev(slice(key));
    if (iterator_->Valid() && this->key() == key) iterator_->Prev();
  }
  void next() { iterator_->Next(); }
  void previous() { iterator_->Prev(); }
  bool valid() const { return iterator_->Valid(); }
  bool isBelow(std::string_view end) const { return iterator_->Valid() && (end.empty() || key() < end); }
  bool isFrom(std::string_view begin) const { return iterator_->Valid() && key() >= begin; }
  std::string_view key() const { return view(iterator_->key()); }
  std::string_view value() const { return view(iterator_->value()); }
  // REQUIRES: it reads the documents family. The document at the key.
  std::string_view document() const { return splitStored(value()).bson; }
  rocksdb::Status status() const { return iterator_->status(); }

 private:
  rocksdb::Slice lower_;
  rocksdb::Slice upper_;
  std::unique_ptr<rocksdb::Iterator> iterator_;
};

}  // namespace mb::store::embedded
