// Counts failed attempts per account, from all client addresses, in a sliding window of 15 minutes.
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

// Tracks at most 16,384 accounts; beyond that the least recently used one is evicted. Any thread.
class AttemptGuard {
 public:
  // `what` names the attempts in messages, in the plural: "logins".
  AttemptGuard(const Clock& clock, size_t max, std::string_view what)
      : clock_(clock), max_(max), what_(what), accounts_(16'384) {}
  // Counts an attempt as failed before it is checked, so that concurrent ones count too. Fails with rateLimited.
  Result<> begin(std::string_view account);
  // Takes the last attempt back: it succeeded, or was not checked.
  void refundAttempt(std::string_view account);
  // Resets the count: the owner was verified in another way.
  void clear(std::string_view account);

 private:
  const Clock& clock_;
  const size_t max_;
  const std::string_view what_;
  std::mutex mutex_;
  LruCache<std::vector<int64_t>> accounts_;  // times of the last failures, oldest first
};

}  // namespace mb::identity
