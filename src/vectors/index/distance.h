// Dot products and distances of vectors, by the widest instructions that the processor has. Vectors are aligned to 64
// bytes and padded with zeros to a multiple of kLanes.
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

// The kernels that this processor can run, the fastest first; the last runs on every processor.
const std::vector<Kernels>& runnableKernels();
// The fastest.
const Kernels& kernels();

}  // namespace mb::vectors
