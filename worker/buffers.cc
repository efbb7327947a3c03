#include "buffers.h"

#include <cstdlib>

namespace mb::worker {

// Counted for each buffer: small ones cost more than their bytes.
constexpr size_t kOverhead = 64;

bool Buffers::take(size_t length) {
  if (length > left_ || left_ - length < kOverhead) return false;
  left_ -= length + kOverhead;
  return true;
}

void* Buffers::Allocate(size_t length) {
  if (!take(length)) return nullptr;
  if (void* data = std::calloc(length, 1)) return data;
  left_ += length + kOverhead;
  return nullptr;
}

void* Buffers::AllocateUninitialized(size_t length) {
  if (!take(length)) return nullptr;
  if (void* data = std::malloc(length)) return data;
  left_ += length + kOverhead;
  return nullptr;
}

void Buffers::Free(void* data, size_t length) {
  std::free(data);
  left_ += length + kOverhead;
}

}  // namespace mb::worker
