// Reads documents together: from the cache, and those that are not in it with one MultiGet under the same snapshot.
#pragma once

#include "store/embedded/database.h"
#include "store/embedded/keys.h"

namespace mb::store::embedded {

class DocumentBatch {
 public:
  DocumentBatch(ProjectNo project, CollectionNo collection, size_t expected);

  // `document`: the document under the snapshot of read(), if it is known; else empty. `matches`: it is known to match
  // under that snapshot.
  void add(std::string_view id, std::string_view document = {}, bool matches = false);
  // Discards the documents and matches that were passed to add(): another snapshot will be read.
  void forgetDocuments() {
    supplied_.clear();
    matching_.assign(matching_.size(), false);
    unknown_ = matching_.size();
  }
  void clear();
  size_t size() const { return ends_.size(); }
  bool empty() const { return ends_.empty(); }
  bool isKnownToMatch(size_t i) const { return matching_[i]; }
  bool allKnownToMatch() const { return unknown_ == 0; }
  std::string_view id(size_t i) const { return key(i).substr(kPrefixBytes); }

  // Reads all documents; false if the tier of `options` does not hold them. REQUIRES: `options` has a snapshot. `keep`:
  // documents that were read are offered to the cache.
  Result<bool> read(Database& database, const rocksdb::ReadOptions& options, bool keep);
  // After read(): whether the document exists, and its bytes, which may be moved away.
  bool found(size_t i) const { return documents_[i].found; }
  std::string& bytes(size_t i) { return documents_[i].bytes; }

 private:
  struct Slot {
    std::string bytes;
    DocumentCache::Ticket ticket;
    bool found = false;
  };
  std::string_view key(size_t i) const {
    const size_t from = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(keys_).substr(from, ends_[i] - from);
  }
  Result<bool> readMissed(Database& database, const rocksdb::ReadOptions& options, bool keep,
                          const std::vector<uint32_t>& missed);

  const ProjectNo project_;
  const CollectionNo collection_;
  std::string keys_;  // concatenated
  std::vector<uint32_t> ends_;
  std::vector<bool> matching_;
  size_t unknown_ = 0;                 // number of false values in matching_
  std::vector<std::string> supplied_;  // of the first ids; empty ones must be read
  std::vector<Slot> documents_;
};

}  // namespace mb::store::embedded
