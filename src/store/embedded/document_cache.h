// A DocumentCache maps keys to current documents: a hit costs one table lookup, where RocksDB searches its memtables
// and blocks. Bounded in bytes. A full shard accepts only documents that were missed before recently, so that documents
// read once evict nothing. Eviction is CLOCK: it removes entries that were not used since the hand passed last.
//
// It never returns stale data. Before a group is written, its keys are removed and their shards stop accepting fills
// (beginWrites); after the group is durable and visible they accept them again (endWrites). A reader that began before
// or during that cannot fill any more. An entry records the sequence number from which it is known to be current, so
// that a reader on a snapshot gets it only if its snapshot has the same document. Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "store/embedded/stored_document.h"

namespace mb::store::embedded {

class DocumentCache {
 public:
  // Passed from a miss to the fill that follows it.
  struct Ticket {
    uint64_t generation = 0;
    bool mayFill = false;
  };
  static constexpr uint64_t kLatest = UINT64_MAX;

  explicit DocumentCache(size_t capacityBytes) : shardBytes_(capacityBytes / kShards) {}

  // If the cache holds the document as of `sequence` (kLatest: the current one), copies it to `out` and sets `version`;
  // else returns false and a ticket for fill().
  bool find(std::string_view key, uint64_t sequence, std::string& out, DocumentVersion& version, Ticket& ticket);
  // Adds a document that was read after the ticket was issued. `sequence`: the reader's snapshot, or the latest number
  // after the read.
  void fill(std::string_view key, const StoredDocument& document, uint64_t sequence, const Ticket& ticket);

  // A document that changes; an empty one is removed.
  struct Write {
    std::string_view key;
    StoredDocument document;
    bool wasHeld = false;  // used by the cache
  };
  // Called around each group of writes, with the same list. A document that was cached before is cached again in its
  // new version: documents that change often stay, and loading a million new ones evicts nothing. `sequence`: the
  // latest number after the write.
  void beginWrites(std::vector<Write>& writes);
  void endWrites(const std::vector<Write>& writes, uint64_t sequence);

 private:
  static constexpr size_t kShards = 64;
  static constexpr size_t kMisses = 256;
  // Key and document in one allocation.
  struct Entry {
    uint64_t currentFrom = 0;
    uint32_t keySize = 0;
    uint32_t size = 0;  // of the document
    DocumentVersion version = 0;
    std::unique_ptr<char[]> bytes;
    std::string_view key() const { return {bytes.get(), keySize}; }
    std::string_view document() const { return {bytes.get() + keySize, size}; }
  };
  struct Slot {
    uint32_t hash = 0;
    bool used = false;
    bool touched = false;  // used since the hand passed
    Entry entry;
  };
  // A hash table with linear probing: an entry is in the first free slot from its hash on.
  struct alignas(64) Shard {
    std::mutex mutex;
    std::vector<Slot> slots;
    size_t used = 0;
    size_t bytes = 0;
    size_t hand = 0;                         // of the CLOCK eviction
    uint64_t generation = 0;                 // increases with each write
    uint64_t lastWritten = 0;                // sequence number after the last write
    uint32_t writing = 0;                    // writes between beginWrites and endWrites
    std::array<uint32_t, kMisses> misses{};  // hashes of recent misses
  };
  static uint64_t hashOf(std::string_view key) { return std::hash<std::string_view>()(key); }
  Shard& shardOf(uint64_t hash) { return shards_[hash >> 58]; }

  // REQUIRES: the shard's lock is held.
  static Slot* look(Shard& shard, uint64_t hash, std::string_view key);
  static void drop(Shard& shard, size_t at);
  static void grow(Shard& shard);
  bool wasMissedBefore(Shard& shard, uint64_t hash) const;
  void insert(Shard& shard, uint64_t hash, std::string_view key, const StoredDocument& document, uint64_t currentFrom);
  void evictUntilFits(Shard& shard, size_t bytes);

  const size_t shardBytes_;
  std::array<Shard, kShards> shards_;
};

}  // namespace mb::store::embedded
