// Limits the auth actions per client address, project and action: a fixed number of requests in a window that begins
// with the first one. IPv6 addresses count as their /64.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"
#include "base/lru_cache.h"

namespace mb::identity {

struct Rate {
  int requests = 10;
  int seconds = 60;
};
// Of refreshes by cookie, per session (Identity::cookieRateLimiter).
inline constexpr Rate kCookieRate{60, 60};
// "10/60": requests per seconds, both 1 to 1,000,000. Fails with validation.
Result<Rate> parseRate(std::string_view text);

// The result of one request: whether it is granted, and what remains of its window.
struct Allowance {
  Rate rate;
  bool granted = false;
  int remaining = 0;     // requests
  int resetSeconds = 0;  // until the window ends, rounded up

  explicit operator bool() const { return granted; }
  // The error of a request that was not granted: rateLimited, with the seconds to wait.
  Error refusal() const;
};

class RateLimiter {
 public:
  virtual ~RateLimiter() = default;
  // Counts one request. Never blocks; any thread.
  virtual Allowance take(std::string_view ip, std::string_view project, std::string_view action) = 0;
};

// Counts in this process. Tracks at most 65,536 keys; beyond that the least recently used one is evicted.
class LocalRateLimiter final : public RateLimiter {
 public:
  LocalRateLimiter(Rate rate, const Clock& clock) : rate_(rate), clock_(clock), windows_(kMaxKeys) {}
  Allowance take(std::string_view ip, std::string_view project, std::string_view action) override;

 private:
  static constexpr size_t kMaxKeys = 65'536;
  struct Window {
    int64_t startMs = 0;
    int used = 0;
  };
  const Rate rate_;
  const Clock& clock_;
  std::mutex mutex_;
  LruCache<Window> windows_;
};

// IPv4 unchanged, IPv4 mapped into IPv6 as IPv4, any other IPv6 as its /64; text that is not an address unchanged.
std::string limitedAddress(std::string_view ip);

}  // namespace mb::identity
