// Slots is the memory of an index: one record per slot, which never moves, so that readers access it without a lock.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "vectors/index/slot_set.h"

namespace mb::vectors {

constexpr Slot kNoSlot = std::numeric_limits<Slot>::max();
// Highest level of a vector; with m = 2 one in 65,536 vectors would have a higher one.
constexpr int kMaxLevel = 16;
constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();

// A list of neighbours: up to a capacity that the reader knows, then kNoSlot. Written by the one writer, read by any
// thread: a reader of a list during a write sees some old and some new entries, each of which is valid.
using Link = std::atomic<Slot>;

// The head of a record; the lowest list and the vector follow. Members without a comment are written before the slot is
// published, and not again while a reader may hold the slot.
struct Node {
  // The versions of the index that the vector is in: from `added` on, until before `removed`.
  std::atomic<uint64_t> added;
  std::atomic<uint64_t> removed;
  const char* id;
  Link* upper;  // the lists of the levels above the lowest, m each
  uint32_t idBytes;
  Slot parent;  // see Graph; only for the writer
  uint8_t level;
  bool linked;  // whether it is in the graph; only for the writer
};
static_assert(sizeof(Node) == 48 && alignof(Node) == 8);

class Slots {
 public:
  Slots(size_t dimensions, size_t lowestLinks);
  ~Slots();
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;

  // Number of slots that were ever in use. Every slot that was read from the graph before is below it.
  size_t count() const { return count_.load(std::memory_order_acquire); }
  // Bytes of one record.
  size_t stride() const { return stride_; }
  static size_t strideOf(size_t dimensions, size_t lowestLinks);

  Node& node(Slot slot) const { return *reinterpret_cast<Node*>(record(slot)); }
  Link* lowest(Slot slot) const { return reinterpret_cast<Link*>(record(slot) + sizeof(Node)); }
  float* vector(Slot slot) const { return reinterpret_cast<float*>(record(slot) + vectorAt_); }
  void prefetchLinks(Slot slot) const {
    const std::byte* at = record(slot);
    for (size_t line = 0; line < vectorAt_; line += 64) __builtin_prefetch(at + line);
  }
  // Prefetches the cache lines of the vector up to `max` bytes; the hardware prefetcher continues by itself.
  void prefetchVector(Slot slot, size_t max) const {
    const std::byte* at = record(slot) + vectorAt_;
    const size_t bytes = std::min(max, stride_ - vectorAt_);
    for (size_t line = 0; line < bytes; line += 64) __builtin_prefetch(at + line);
  }

  // Adds a slot with an empty record and an empty lowest list; kNoSlot if out of memory. Only for the writer.
  Slot grow();

 private:
  // Chunks double in size: the first holds 64 slots. Pages of a chunk without a slot are never touched.
  static constexpr size_t kFirst = 64;
  static constexpr size_t kChunks = 25;

  std::byte* record(Slot slot) const {
    const size_t at = slot + kFirst;
    const size_t chunk = static_cast<size_t>(std::bit_width(at)) - static_cast<size_t>(std::bit_width(kFirst));
    return chunks_[chunk].load(std::memory_order_acquire) + (at - (kFirst << chunk)) * stride_;
  }

  size_t vectorAt_;
  size_t stride_;
  size_t lowestLinks_;
  std::atomic<size_t> count_{0};
  std::array<std::atomic<std::byte*>, kChunks> chunks_{};
};

}  // namespace mb::vectors
