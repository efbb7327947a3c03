// Password rules and hashing (argon2id, 19 MiB, 2 passes), off the cores, in a bounded queue.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/crypto.h"
#include "base/lru_cache.h"
#include "base/worker_pool.h"

namespace mb::identity {

// 8 to 256 characters (code points), not the address itself. Fails with validation at /password.
Result<> checkPasswordRules(std::string_view password, std::string_view email);

class Passwords {
 public:
  // Half the cores, at least one; 256 wait at most.
  explicit Passwords(int cores);

  // Each fails with unavailable when the queue is full.
  Task<std::string> hash(std::string password);
  // Whether `password` has the encoded hash; an empty hash costs the same and is never right.
  Task<bool> verify(std::string encoded, std::string password);
  void stop() { pool_.stop(); }

 private:
  WorkerPool pool_;
};

// Failed logins per account, over all addresses: 20 in 15 minutes. At most 16,384 accounts are remembered. Any thread.
class LoginGuard {
 public:
  explicit LoginGuard(const Clock& clock) : clock_(clock), accounts_(16'384) {}
  // Counts an attempt as failed, before it is judged, so that parallel ones count too. Fails with rateLimited.
  Result<> begin(std::string_view account);
  // The attempt was right (or was never judged): it does not count after all.
  void forgive(std::string_view account);

 private:
  const Clock& clock_;
  std::mutex mutex_;
  LruCache<std::vector<int64_t>> accounts_;  // times of the last failures, oldest first
};

}  // namespace mb::identity
