// Failed attempts per account, over all addresses: a sliding window of 15 minutes. Source: decisions 7.
#pragma once

#include <mutex>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/lru_cache.h"

namespace mb::identity {

inline constexpr size_t kMaxFailedLogins = 20;
inline constexpr size_t kMaxFailedCodes = 10;

// At most 16,384 accounts are remembered; past that the longest unused one is forgotten. Any thread.
class AttemptGuard {
 public:
  // `what` is counted, in the plural: "logins".
  AttemptGuard(const Clock& clock, size_t max, std::string_view what)
      : clock_(clock), max_(max), what_(what), accounts_(16'384) {}
  // Counts an attempt as failed, before it is judged, so that parallel ones count too. Fails with rateLimited.
  Result<> begin(std::string_view account);
  // The attempt was right (or was never judged): it does not count after all.
  void refundAttempt(std::string_view account);
  // Its owner proved themselves in another way: nothing counts any more.
  void clear(std::string_view account);

 private:
  const Clock& clock_;
  const size_t max_;
  const std::string_view what_;
  std::mutex mutex_;
  LruCache<std::vector<int64_t>> accounts_;  // times of the last failures, oldest first
};

}  // namespace mb::identity
