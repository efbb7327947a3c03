#include "vectors/index/distance.h"

namespace mb::vectors {

namespace {

// One source for every processor: the compiler maps sixteen floats to the registers of the function's target, one of
// AVX-512, two of AVX, four of SSE or NEON, and a product and a sum to one fused instruction where available.
using Lanes = float __attribute__((vector_size(kLanes * sizeof(float)), may_alias));

// Reads sixteen floats. REQUIRES: `at` is aligned to 64 bytes (Slots, AlignedFloats).
#define MB_LANES(at) (*reinterpret_cast<const Lanes*>(at))

[[gnu::always_inline]] inline float sumOf(const Lanes& lanes) {
  const auto eight = __builtin_shufflevector(lanes, lanes, 0, 1, 2, 3, 4, 5, 6, 7) +
                     __builtin_shufflevector(lanes, lanes, 8, 9, 10, 11, 12, 13, 14, 15);
  const auto four =
      __builtin_shufflevector(eight, eight, 0, 1, 2, 3) + __builtin_shufflevector(eight, eight, 4, 5, 6, 7);
  const auto two = __builtin_shufflevector(four, four, 0, 1) + __builtin_shufflevector(four, four, 2, 3);
  return two[0] + two[1];
}

// `kSums` independent sums hide the latency of an addition.
template <size_t kSums>
[[gnu::always_inline]] inline float dotOf(const float* a, const float* b, size_t length) {
  Lanes sums[kSums] = {};
  size_t i = 0;
  for (; i + kSums * kLanes <= length; i += kSums * kLanes) {
#pragma clang loop unroll(full)
    for (size_t k = 0; k < kSums; ++k) sums[k] = MB_LANES(a + i + k * kLanes) * MB_LANES(b + i + k * kLanes) + sums[k];
  }
  for (; i < length; i += kLanes) sums[0] = MB_LANES(a + i) * MB_LANES(b + i) + sums[0];
  for (size_t k = 1; k < kSums; ++k) sums[0] += sums[k];
  return sumOf(sums[0]);
}

template <size_t kSums>
[[gnu::always_inline]] inline float squaredDistanceOf(const float* a, const float* b, size_t length) {
  Lanes sums[kSums] = {};
  size_t i = 0;
  for (; i + kSums * kLanes <= length; i += kSums * kLanes) {
#pragma clang loop unroll(full)
    for (size_t k = 0; k < kSums; ++k) {
      const Lanes apart = MB_LANES(a + i + k * kLanes) - MB_LANES(b + i + k * kLanes);
      sums[k] = apart * apart + sums[k];
    }
  }
  for (; i < length; i += kLanes) {
    const Lanes apart = MB_LANES(a + i) - MB_LANES(b + i);
    sums[0] = apart * apart + sums[0];
  }
  for (size_t k = 1; k < kSums; ++k) sums[0] += sums[k];
  return sumOf(sums[0]);
}

#undef MB_LANES

float dotBaseline(const float* a, const float* b, size_t length) {
  return dotOf<2>(a, b, length);
}
float squaredDistanceBaseline(const float* a, const float* b, size_t length) {
  return squaredDistanceOf<2>(a, b, length);
}

#ifdef __x86_64__
[[gnu::target("avx2,fma")]] float dotAvx2(const float* a, const float* b, size_t length) {
  return dotOf<4>(a, b, length);
}
[[gnu::target("avx2,fma")]] float squaredDistanceAvx2(const float* a, const float* b, size_t length) {
  return squaredDistanceOf<4>(a, b, length);
}
[[gnu::target("avx512f")]] float dotAvx512(const float* a, const float* b, size_t length) {
  return dotOf<4>(a, b, length);
}
[[gnu::target("avx512f")]] float squaredDistanceAvx512(const float* a, const float* b, size_t length) {
  return squaredDistanceOf<4>(a, b, length);
}
#endif

std::vector<Kernels> whatRuns() {
  std::vector<Kernels> found;
#ifdef __x86_64__
  // These check the operating system too, which must save the wide registers.
  if (__builtin_cpu_supports("avx512f")) found.push_back({"avx512", dotAvx512, squaredDistanceAvx512});
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    found.push_back({"avx2", dotAvx2, squaredDistanceAvx2});
  }
#endif
  found.push_back({"baseline", dotBaseline, squaredDistanceBaseline});
  return found;
}

}  // namespace

const std::vector<Kernels>& runnableKernels() {
  static const std::vector<Kernels> found = whatRuns();
  return found;
}

const Kernels& kernels() {
  return runnableKernels().front();
}

}  // namespace mb::vectors
