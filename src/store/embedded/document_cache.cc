#include "store/embedded/document_cache.h"

namespace mb::store::embedded {

namespace {
// List node, index node and control block of an entry, beside its key and bytes.
constexpr size_t kEntryOverhead = 200;
// A few large documents must not push out all others.
constexpr size_t kLargestShare = 8;

size_t weight(std::string_view key, std::string_view bytes) {
  return key.size() + bytes.size() + kEntryOverhead;
}
}  // namespace

void DocumentCache::drop(Shard& shard, std::list<Entry>::iterator entry) {
  shard.bytes -= weight(entry->key, *entry->bytes);
  shard.index.erase(entry->key);
  shard.order.erase(entry);
}

DocumentCache::Bytes DocumentCache::find(std::string_view key, uint64_t sequence, Ticket& ticket) {
  Shard& shard = shardOf(key);
  const std::scoped_lock lock(shard.mutex);
  ticket = {shard.generation, shard.writing == 0 && sequence >= shard.lastWritten};
  const auto found = shard.index.find(key);
  if (found == shard.index.end() || found->second->currentFrom > sequence) return nullptr;
  shard.order.splice(shard.order.begin(), shard.order, found->second);
  return found->second->bytes;
}

void DocumentCache::insert(Shard& shard, std::string_view key, Bytes bytes, uint64_t currentFrom) {
  const size_t weighs = weight(key, *bytes);
  if (weighs > shardBytes_ / kLargestShare || shard.index.contains(key)) return;
  shard.order.push_front({std::string(key), std::move(bytes), currentFrom});
  shard.index.emplace(shard.order.front().key, shard.order.begin());
  shard.bytes += weighs;
  while (shard.bytes > shardBytes_) drop(shard, std::prev(shard.order.end()));
}

void DocumentCache::fill(std::string_view key, Bytes bytes, uint64_t sequence, const Ticket& ticket) {
  if (!ticket.mayFill) return;
  Shard& shard = shardOf(key);
  const std::scoped_lock lock(shard.mutex);
  if (shard.generation == ticket.generation) insert(shard, key, std::move(bytes), sequence);
}

void DocumentCache::beginWrites(std::vector<Write>& writes) {
  for (Write& write : writes) {
    Shard& shard = shardOf(write.key);
    const std::scoped_lock lock(shard.mutex);
    ++shard.writing;
    ++shard.generation;
    const auto found = shard.index.find(write.key);
    write.wasHeld = found != shard.index.end();
    if (write.wasHeld) drop(shard, found->second);
  }
}

void DocumentCache::endWrites(const std::vector<Write>& writes, uint64_t sequence) {
  for (const Write& write : writes) {
    auto bytes = write.wasHeld && !write.bytes.empty() ? std::make_shared<const std::string>(write.bytes) : nullptr;
    Shard& shard = shardOf(write.key);
    const std::scoped_lock lock(shard.mutex);
    --shard.writing;
    shard.lastWritten = sequence;
    if (bytes) insert(shard, write.key, std::move(bytes), sequence);
  }
}

}  // namespace mb::store::embedded
