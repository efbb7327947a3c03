// How near two vectors are, by the widest instructions that the processor has. Vectors stand on 64 bytes and are padded
// with zeros to a multiple of kLanes.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace mb::vectors {

constexpr size_t kLanes = 16;

constexpr size_t padded(size_t dimensions) {
  return (dimensions + kLanes - 1) / kLanes * kLanes;
}

struct Kernels {
  std::string_view name;
  // Of two vectors of `length` floats, a multiple of kLanes.
  float (*dot)(const float* a, const float* b, size_t length);
  float (*squaredDistance)(const float* a, const float* b, size_t length);
};

// Those that this processor runs, the fastest first; the last runs everywhere.
const std::vector<Kernels>& runnableKernels();
// The fastest.
const Kernels& kernels();

}  // namespace mb::vectors
