// Recovery lets the operator of a deployment help users who are locked out. It needs the store only, whether or not a
// server runs on it. Every change is audited as the server's and bumps the epoch, so that cached tokens are
// re-validated at once.
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
  std::string email;  // part of the address, case-insensitive; empty: all
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
  // `passwordHash`: of hashPassword(). Ends all sessions of the user and a pending reset link. Fails with notFound.
  Task<> setPassword(Realm realm, UserId user, std::string passwordHash, store::Deadline deadline);
  // False, without an error, for a user without a second factor.
  Task<bool> resetFactor(Realm realm, UserId user, store::Deadline deadline);
  // Returns whether anything changed. Fails with conflict for the last active super-admin.
  Task<bool> setOperator(UserId user, bool on, store::Deadline deadline);

 private:
  Task<std::optional<UserId>> otherOperator(UserId but, store::Deadline deadline);
  // One attempt; fails with retry where the other super-admin lost that role since it was read.
  Task<bool> setOperatorOnce(UserId user, bool on, store::Deadline deadline);
  const RecoveryDeps deps_;
};

}  // namespace mb::identity
