#include "store/embedded/document_cache.h"

#include <cstring>

namespace mb::store::embedded {

namespace {
// Slot and allocation of an entry, in addition to its key and bytes.
constexpr size_t kEntryOverhead = 104;
// Bounds one document, so that a few large ones cannot evict all others.
constexpr size_t kLargestShare = 8;
constexpr size_t kFirstSlots = 16;

size_t weight(std::string_view key, std::string_view bytes) {
  return key.size() + bytes.size() + kEntryOverhead;
}
}  // namespace

DocumentCache::Slot* DocumentCache::look(Shard& shard, uint64_t hash, std::string_view key) {
  if (shard.slots.empty()) return nullptr;
  const size_t mask = shard.slots.size() - 1;
  for (size_t at = hash & mask; shard.slots[at].used; at = (at + 1) & mask) {
    Slot& slot = shard.slots[at];
    if (slot.hash == static_cast<uint32_t>(hash) && slot.entry.key() == key) return &slot;
  }
  return nullptr;
}

// Closes the gap, so that no search ends at a free slot before its entry.
void DocumentCache::drop(Shard& shard, size_t at) {
  const size_t mask = shard.slots.size() - 1;
  shard.bytes -= weight(shard.slots[at].entry.key(), shard.slots[at].entry.document());
  --shard.used;
  size_t free = at;
  for (size_t next = (free + 1) & mask; shard.slots[next].used; next = (next + 1) & mask) {
    const size_t wanted = shard.slots[next].hash & mask;
    if (((next - wanted) & mask) < ((next - free) & mask)) continue;
    shard.slots[free] = std::move(shard.slots[next]);
    free = next;
  }
  shard.slots[free] = Slot();
}

void DocumentCache::grow(Shard& shard) {
  std::vector<Slot> old(shard.slots.empty() ? kFirstSlots : shard.slots.size() * 2);
  old.swap(shard.slots);
  const size_t mask = shard.slots.size() - 1;
  for (Slot& slot : old) {
    if (!slot.used) continue;
    size_t at = slot.hash & mask;
    while (shard.slots[at].used) at = (at + 1) & mask;
    shard.slots[at] = std::move(slot);
  }
  shard.hand = 0;
}

bool DocumentCache::find(std::string_view key, uint64_t sequence, std::string& out, DocumentVersion& version,
                         Ticket& ticket) {
  const uint64_t hash = hashOf(key);
  Shard& shard = shardOf(hash);
  const std::scoped_lock lock(shard.mutex);
  Slot* slot = look(shard, hash, key);
  if (slot && slot->entry.currentFrom <= sequence) {
    slot->touched = true;
    out.assign(slot->entry.document());
    version = slot->entry.version;
    return true;
  }
  ticket = {shard.generation, shard.writing == 0 && sequence >= shard.lastWritten};
  return false;
}

bool DocumentCache::wasMissedBefore(Shard& shard, uint64_t hash) const {
  // Uses other bits than those that choose the shard and the first slot.
  uint32_t& miss = shard.misses[(hash >> 40) % kMisses];
  const auto tag = static_cast<uint32_t>(hash >> 16);
  const bool known = miss == tag;
  miss = tag;
  return known;
}

void DocumentCache::fill(std::string_view key, const StoredDocument& document, uint64_t sequence,
                         const Ticket& ticket) {
  if (!ticket.mayFill) return;
  const uint64_t hash = hashOf(key);
  Shard& shard = shardOf(hash);
  const std::scoped_lock lock(shard.mutex);
  if (shard.generation != ticket.generation || look(shard, hash, key)) return;
  const bool full = shard.bytes + weight(key, document.bson) > shardBytes_;
  if (!full || wasMissedBefore(shard, hash)) insert(shard, hash, key, document, sequence);
}

void DocumentCache::insert(Shard& shard, uint64_t hash, std::string_view key, const StoredDocument& document,
                           uint64_t currentFrom) {
  const std::string_view bytes = document.bson;
  const size_t weighs = weight(key, bytes);
  if (weighs > shardBytes_ / kLargestShare || look(shard, hash, key)) return;
  evictUntilFits(shard, weighs);
  if ((shard.used + 1) * 8 > shard.slots.size() * 5) grow(shard);
  Slot slot;
  slot.hash = static_cast<uint32_t>(hash);
  slot.used = true;
  slot.entry.currentFrom = currentFrom;
  slot.entry.keySize = static_cast<uint32_t>(key.size());
  slot.entry.size = static_cast<uint32_t>(bytes.size());
  slot.entry.version = document.version;
  slot.entry.bytes = std::make_unique_for_overwrite<char[]>(key.size() + bytes.size());
  std::memcpy(slot.entry.bytes.get(), key.data(), key.size());
  std::memcpy(slot.entry.bytes.get() + key.size(), bytes.data(), bytes.size());
  const size_t mask = shard.slots.size() - 1;
  size_t at = hash & mask;
  while (shard.slots[at].used) at = (at + 1) & mask;
  shard.slots[at] = std::move(slot);
  ++shard.used;
  shard.bytes += weighs;
}

// Removes the entries that the hand reaches, unless they were used since it passed last.
void DocumentCache::evictUntilFits(Shard& shard, size_t bytes) {
  while (shard.used > 0 && shard.bytes + bytes > shardBytes_) {
    shard.hand &= shard.slots.size() - 1;
    Slot& slot = shard.slots[shard.hand];
    if (slot.used && !slot.touched) {
      drop(shard, shard.hand);  // the entry that moves up here is next
      continue;
    }
    slot.touched = false;
    ++shard.hand;
  }
}

void DocumentCache::beginWrites(std::vector<Write>& writes) {
  for (Write& write : writes) {
    const uint64_t hash = hashOf(write.key);
    Shard& shard = shardOf(hash);
    const std::scoped_lock lock(shard.mutex);
    ++shard.writing;
    ++shard.generation;
    const Slot* slot = look(shard, hash, write.key);
    write.wasHeld = slot != nullptr;
    if (slot) drop(shard, static_cast<size_t>(slot - shard.slots.data()));
  }
}

void DocumentCache::endWrites(const std::vector<Write>& writes, uint64_t sequence) {
  for (const Write& write : writes) {
    const uint64_t hash = hashOf(write.key);
    Shard& shard = shardOf(hash);
    const std::scoped_lock lock(shard.mutex);
    --shard.writing;
    shard.lastWritten = sequence;
    if (write.wasHeld && !write.document.bson.empty()) insert(shard, hash, write.key, write.document, sequence);
  }
}

}  // namespace mb::store::embedded
