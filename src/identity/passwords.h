// Password rules and hashing (argon2id, 19 MiB, 2 passes), off the cores, in a bounded queue.
#pragma once

#include <string>
#include <string_view>

#include "base/crypto.h"
#include "base/worker_pool.h"

namespace mb::identity {

// 8 to 256 characters (code points), not the address itself. Fails with validation at /password.
Result<> checkPasswordRules(std::string_view password, std::string_view email);

// The encoded hash of a password. Takes tens of milliseconds and 19 MiB: never on a core. Fails with unavailable.
Result<std::string> hashPassword(std::string_view password);

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

}  // namespace mb::identity
