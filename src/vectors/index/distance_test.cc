#include "vectors/index/distance.h"

#include <gtest/gtest.h>

#include <cmath>

#include "vectors/index/graph.h"
#include "vectors/index/vectors_fixture.h"

namespace mb::vectors {

namespace {

TEST(Distance, EveryKernelAgreesWithAPlainLoop) {
  for (const Kernels& kernel : runnableKernels()) {
    for (const size_t dimensions : {1, 3, 15, 16, 17, 63, 64, 65, 100, 384, 768, 1536, 4096}) {
      const auto pair = noise(2, dimensions, static_cast<uint32_t>(dimensions));
      AlignedFloats a(dimensions);
      AlignedFloats b(dimensions);
      std::ranges::copy(pair[0], a.data());
      std::ranges::copy(pair[1], b.data());
      const double dot = plainScore(Metric::dot, pair[0], pair[1]);
      const double apart = plainScore(Metric::euclidean, pair[0], pair[1]);
      const double allowed = 1e-4 * std::sqrt(static_cast<double>(dimensions)) + 1e-4;
      EXPECT_NEAR(kernel.dot(a.data(), b.data(), padded(dimensions)), dot, allowed) << kernel.name << " " << dimensions;
      EXPECT_NEAR(kernel.squaredDistance(a.data(), b.data(), padded(dimensions)), apart * apart, allowed * 10)
          << kernel.name << " " << dimensions;
    }
  }
}

TEST(Distance, TheFastestIsAskedForAndTheBaselineIsAlwaysThere) {
  EXPECT_EQ(kernels().name, runnableKernels().front().name);
  EXPECT_EQ(runnableKernels().back().name, "baseline");
#ifdef __x86_64__
  EXPECT_EQ(runnableKernels().size(), 1U + (__builtin_cpu_supports("avx512f") != 0) +
                                          (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0));
#endif
}

}  // namespace

}  // namespace mb::vectors
