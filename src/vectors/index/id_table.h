// An IdTable maps ids to their current slots. Sharded, so that a rehash is short. Thread-safe.
#pragma once

#include <array>
#include <functional>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string_view>
#include <unordered_map>

#include "vectors/index/slot_set.h"

namespace mb::vectors {

class IdTable {
 public:
  // Approximate memory of an entry: the map's node and its share of the buckets.
  static constexpr size_t kEntryBytes = 64;

  std::optional<Slot> find(std::string_view id) const {
    const Shard& shard = shardOf(id);
    const std::shared_lock lock(shard.mutex);
    const auto found = shard.slots.find(id);
    return found == shard.slots.end() ? std::nullopt : std::optional(found->second);
  }
  // `id` must outlive the entry. Replaces the key's text too, where the id has an entry.
  void set(std::string_view id, Slot slot) {
    Shard& shard = shardOf(id);
    const std::unique_lock lock(shard.mutex);
    const auto found = shard.slots.find(id);
    if (found == shard.slots.end()) {
      shard.slots.emplace(id, slot);
      return;
    }
    auto entry = shard.slots.extract(found);
    entry.key() = id;
    entry.mapped() = slot;
    shard.slots.insert(std::move(entry));
  }
  void erase(std::string_view id) {
    Shard& shard = shardOf(id);
    const std::unique_lock lock(shard.mutex);
    shard.slots.erase(id);
  }

 private:
  struct Shard {
    mutable std::shared_mutex mutex;
    std::unordered_map<std::string_view, Slot> slots;
  };
  static constexpr size_t kShards = 16;

  const Shard& shardOf(std::string_view id) const { return shards_[std::hash<std::string_view>()(id) / 64 % kShards]; }
  Shard& shardOf(std::string_view id) { return shards_[std::hash<std::string_view>()(id) / 64 % kShards]; }

  std::array<Shard, kShards> shards_;
};

}  // namespace mb::vectors
