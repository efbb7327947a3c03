// What the operator of a deployment does for who is locked out: on the store alone, whether a server runs on it or not.
// Every change is audited as the server's and bumps the epoch, so that tokens in hand are looked at again at once.
#pragma once

#include <string>
#include <vector>

#include "audit/audit.h"
#include "identity/realm.h"
#include "identity/user_types.h"
#include "store/store.h"

namespace mb::identity {

inline constexpr uint64_t kMaxRecoveryListed = 1000;

// References outlive the object.
struct RecoveryDeps {
  store::DocumentStore& store;
  const Clock& clock;
  audit::Auditor& auditor;
};

struct UserSearch {
  std::string email;  // part of the address, whatever its case; empty: all
  std::string after;  // id; empty: from the first
  uint64_t limit = 50;
};

class Recovery {
 public:
  explicit Recovery(const RecoveryDeps& deps) : deps_(deps) {}

  // Ascending id, at most kMaxRecoveryListed.
  Task<std::vector<UserRecord>> list(Realm realm, UserSearch search, store::Deadline deadline);
  // By id or address. Fails with notFound.
  Task<UserRecord> find(Realm realm, std::string idOrEmail);
  // `passwordHash`: of hashPassword(). Sessions, and reset links on their way, are over. Fails with notFound.
  Task<> setPassword(Realm realm, UserId user, std::string passwordHash, store::Deadline deadline);
  // A user without a second factor is no failure; false then.
  Task<bool> resetFactor(Realm realm, UserId user, store::Deadline deadline);
  // Whether anything changed. Fails with conflict for the last active super-admin.
  Task<bool> setOperator(UserId user, bool on, store::Deadline deadline);

 private:
  Task<std::optional<UserId>> otherOperator(UserId but, store::Deadline deadline);
  // One attempt; fails with retry where the super-admin that it relied on is none any more.
  Task<bool> setOperatorOnce(UserId user, bool on, store::Deadline deadline);
  const RecoveryDeps deps_;
};

}  // namespace mb::identity
