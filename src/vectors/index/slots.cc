#include "vectors/index/slots.h"

#include <sys/mman.h>

#include <new>

#include "vectors/index/distance.h"

namespace mb::vectors {

namespace {

constexpr size_t kHugePage = 2 << 20;

// Large chunks use huge pages: a walk accesses them randomly, and would otherwise miss the TLB on nearly every access.
size_t alignmentOf(size_t bytes) {
  return bytes >= 2 * kHugePage ? kHugePage : 64;
}

std::byte* allocate(size_t bytes) {
  const size_t alignment = alignmentOf(bytes);
  void* at = ::operator new(bytes, std::align_val_t(alignment), std::nothrow);
  // Only a hint: failure is ignored.
  if (at != nullptr && alignment == kHugePage) ::madvise(at, bytes, MADV_HUGEPAGE);
  return static_cast<std::byte*>(at);
}

size_t vectorPlace(size_t lowestLinks) {
  return (sizeof(Node) + lowestLinks * sizeof(Link) + 63) / 64 * 64;
}

}  // namespace

size_t Slots::strideOf(size_t dimensions, size_t lowestLinks) {
  return vectorPlace(lowestLinks) + padded(dimensions) * sizeof(float);
}

Slots::Slots(size_t dimensions, size_t lowestLinks)
    : vectorAt_(vectorPlace(lowestLinks)), stride_(strideOf(dimensions, lowestLinks)), lowestLinks_(lowestLinks) {}

Slots::~Slots() {
  for (size_t chunk = 0; chunk < kChunks; ++chunk) {
    std::byte* at = chunks_[chunk].load(std::memory_order_relaxed);
    if (at != nullptr) ::operator delete(at, std::align_val_t(alignmentOf((kFirst << chunk) * stride_)));
  }
}

Slot Slots::grow() {
  const size_t slot = count_.load(std::memory_order_relaxed);
  const size_t at = slot + kFirst;
  const size_t chunk = static_cast<size_t>(std::bit_width(at)) - static_cast<size_t>(std::bit_width(kFirst));
  if (chunk >= kChunks) return kNoSlot;
  if (at == kFirst << chunk && chunks_[chunk].load(std::memory_order_relaxed) == nullptr) {
    std::byte* room = allocate((kFirst << chunk) * stride_);
    if (room == nullptr) return kNoSlot;
    chunks_[chunk].store(room, std::memory_order_release);
  }
  new (record(static_cast<Slot>(slot))) Node{};
  Link* links = lowest(static_cast<Slot>(slot));
  for (size_t i = 0; i < lowestLinks_; ++i) new (links + i) Link(kNoSlot);
  count_.store(slot + 1, std::memory_order_release);
  return static_cast<Slot>(slot);
}

}  // namespace mb::vectors
