#include "store/log_limits.h"

#include <algorithm>

namespace mb::store {

uint64_t shareOfTotal(std::vector<uint64_t> held, uint64_t total) {
  std::ranges::sort(held);
  for (size_t i = 0; i < held.size(); ++i) {
    const uint64_t share = total / (held.size() - i);
    if (held[i] > share) return share;
    total -= held[i];
  }
  return UINT64_MAX;
}

}  // namespace mb::store
