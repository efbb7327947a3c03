// How much of the change logs is kept, on every engine.
#pragma once

#include <cstdint>
#include <vector>

namespace mb::store {

struct LogLimits {
  int64_t hours = 24;
  int64_t bytes = 256LL << 20;  // per project
  int64_t totalBytes = 4LL << 30;
};

// The bytes that each log may keep so that all together keep at most `total`: the largest are trimmed first. UINT64_MAX
// if they keep less. `held`: the bytes of each.
uint64_t shareOfTotal(std::vector<uint64_t> held, uint64_t total);

}  // namespace mb::store
