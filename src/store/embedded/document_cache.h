// Documents as they are now, in memory, by key: a hit costs a look into one table where the engine below searches its
// memtables and blocks. Bounded in bytes. A full shard takes in only what was missed before not long ago, so that what
// is read once pushes nothing out, and lets go of what was not asked for since it was last looked over.
//
// Nothing stale is ever given: before a group is written its keys are taken out and their shards stop taking fills
// (beginWrites), and only after it is durable and visible they take them again (endWrites). Who read before or during
// that cannot fill any more. An entry knows the sequence number from which it is surely current, so that a reader on a
// snapshot sees it only where its snapshot would show the same. Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace mb::store::embedded {

class DocumentCache {
 public:
  // What a miss hands to the fill that follows it.
  struct Ticket {
    uint64_t generation = 0;
    bool mayFill = false;
  };
  static constexpr uint64_t kLatest = UINT64_MAX;

  explicit DocumentCache(size_t capacityBytes) : shardBytes_(capacityBytes / kShards) {}

  // Whether it holds the document as a reader at `sequence` sees it (kLatest: as it is now), which is then put into
  // `out`; where not, a ticket to fill.
  bool find(std::string_view key, uint64_t sequence, std::string& out, Ticket& ticket);
  // What was read after the ticket was given. `sequence`: the reader's snapshot, or the latest number after the read.
  void fill(std::string_view key, std::string_view bytes, uint64_t sequence, const Ticket& ticket);

  // A document about to change; empty bytes: it goes.
  struct Write {
    std::string_view key;
    std::string_view bytes;
    bool wasHeld = false;  // the cache's own
  };
  // Around each group of writes; the same to both. What was held before is held again as it became: a document that is
  // changed over and over stays, and loading a million new ones pushes nothing out. `sequence`: the latest number after
  // the write.
  void beginWrites(std::vector<Write>& writes);
  void endWrites(const std::vector<Write>& writes, uint64_t sequence);

 private:
  static constexpr size_t kShards = 64;
  static constexpr size_t kMisses = 256;
  // Key and document in one piece.
  struct Entry {
    uint64_t currentFrom = 0;
    uint32_t keySize = 0;
    uint32_t size = 0;  // of the document
    std::unique_ptr<char[]> bytes;
    std::string_view key() const { return {bytes.get(), keySize}; }
    std::string_view document() const { return {bytes.get() + keySize, size}; }
  };
  struct Slot {
    uint32_t hash = 0;
    bool used = false;
    bool touched = false;  // asked for since the hand passed by
    Entry entry;
  };
  // A table of slots; an entry stands in the first free one from where its hash says on.
  struct alignas(64) Shard {
    std::mutex mutex;
    std::vector<Slot> slots;
    size_t used = 0;
    size_t bytes = 0;
    size_t hand = 0;                         // goes round and looks for what can go
    uint64_t generation = 0;                 // grows with each write
    uint64_t lastWritten = 0;                // sequence number after the last write
    uint32_t writing = 0;                    // writes begun and not ended
    std::array<uint32_t, kMisses> misses{};  // hashes of what was missed lately
  };
  static uint64_t hashOf(std::string_view key) { return std::hash<std::string_view>()(key); }
  Shard& shardOf(uint64_t hash) { return shards_[hash >> 58]; }

  // All under the shard's lock.
  static Slot* look(Shard& shard, uint64_t hash, std::string_view key);
  static void drop(Shard& shard, size_t at);
  static void grow(Shard& shard);
  bool wasMissedBefore(Shard& shard, uint64_t hash) const;
  void insert(Shard& shard, uint64_t hash, std::string_view key, std::string_view bytes, uint64_t currentFrom);
  void evictUntilFits(Shard& shard, size_t bytes);

  const size_t shardBytes_;
  std::array<Shard, kShards> shards_;
};

}  // namespace mb::store::embedded
