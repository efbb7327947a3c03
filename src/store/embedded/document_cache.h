// Documents as they are now, in memory, by key: a hit costs a hash look-up where the engine below searches its
// memtables and blocks. Bounded in bytes; least recently used goes first.
//
// Nothing stale is ever given: before a group is written its keys are taken out and their shards stop taking fills
// (beginWrites), and only after it is durable and visible they take them again (endWrites). Who read before or during
// that cannot fill any more. An entry knows the sequence number from which it is surely current, so that a reader on a
// snapshot sees it only where its snapshot would show the same. Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mb::store::embedded {

class DocumentCache {
 public:
  using Bytes = std::shared_ptr<const std::string>;
  // What a miss hands to the fill that follows it.
  struct Ticket {
    uint64_t generation = 0;
    bool mayFill = false;
  };
  static constexpr uint64_t kLatest = UINT64_MAX;

  explicit DocumentCache(size_t capacityBytes) : shardBytes_(capacityBytes / kShards) {}

  // The document as a reader at `sequence` sees it (kLatest: as it is now), or null, with a ticket to fill.
  Bytes find(std::string_view key, uint64_t sequence, Ticket& ticket);
  // What was read after the ticket was given. `sequence`: the reader's snapshot, or the latest number after the read.
  void fill(std::string_view key, Bytes bytes, uint64_t sequence, const Ticket& ticket);

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
  struct Entry {
    std::string key;
    Bytes bytes;
    uint64_t currentFrom;
  };
  struct alignas(64) Shard {
    std::mutex mutex;
    std::list<Entry> order;  // most recently used first
    std::unordered_map<std::string_view, std::list<Entry>::iterator> index;
    size_t bytes = 0;
    uint64_t generation = 0;   // grows with each write
    uint64_t lastWritten = 0;  // sequence number after the last write
    uint32_t writing = 0;      // writes begun and not ended
  };
  static size_t hash(std::string_view key) { return std::hash<std::string_view>()(key); }
  Shard& shardOf(std::string_view key) { return shards_[hash(key) / 7 % kShards]; }
  static void drop(Shard& shard, std::list<Entry>::iterator entry);
  // Under the shard's lock.
  void insert(Shard& shard, std::string_view key, Bytes bytes, uint64_t currentFrom);

  const size_t shardBytes_;
  std::array<Shard, kShards> shards_;
};

}  // namespace mb::store::embedded
