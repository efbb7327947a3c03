// Password rules and hashing (argon2id, 19 MiB, 2 passes), off the cores, in a bounded queue that serves projects round
// robin.
#pragma once

#include <string>
#include <string_view>

#include "base/crypto.h"
#include "base/fair_pool.h"
#include "identity/realm.h"

namespace mb::identity {

// 8 to 256 characters (code points), not the address itself. Fails with validation at /password.
Result<> checkPasswordRules(std::string_view password, std::string_view email);

// The encoded hash of a password. Takes tens of milliseconds and 19 MiB: never on a core. Fails with unavailable.
Result<std::string> hashPassword(std::string_view password);

class Passwords {
 public:
  // Starts a thread for every two cores, at least one. At most 256 calls of a realm wait, 4,096 in all.
  explicit Passwords(int cores);

  // Each waits for a slot of `realm`, and fails with unavailable when the queue is full.
  Task<std::string> hash(Realm realm, std::string password);
  // Whether `password` has the encoded hash; an empty hash takes the same time and never matches.
  Task<bool> verify(Realm realm, std::string encoded, std::string password);
  void stop() { pool_.stop(); }

 private:
  FairPool pool_;
};

}  // namespace mb::identity
