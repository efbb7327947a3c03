// Buffers allocates the memory of array buffers, and refuses it past a budget, which is a RangeError in guest code.
#pragma once

#include <v8-array-buffer.h>

#include "bounds.h"

namespace mb::worker {

class Buffers : public v8::ArrayBuffer::Allocator {
 public:
  void* Allocate(size_t length) override;
  void* AllocateUninitialized(size_t length) override;
  void Free(void* data, size_t length) override;

 private:
  bool take(size_t length);
  size_t left_ = kBufferBytes;
};

}  // namespace mb::worker
