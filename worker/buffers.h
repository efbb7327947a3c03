// The memory of array buffers: counted, and refused past a budget. What is refused is a RangeError in the guest's code.
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
