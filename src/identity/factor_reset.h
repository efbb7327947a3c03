// Removal of a second factor without a code, by admins and operators. Private to identity/.
#pragma once

#include "identity/realm.h"
#include "identity/user_change.h"

namespace mb::identity {

// The documents of a user's second factor in a write: the factor, and a pending enrollment.
struct FactorTargets {
  store::Target factor;
  store::Target enrollment;

  // Call in the write callback: removes both, and clears the second factor in the user's record.
  void remove(UserRecord& user, Timestamp now, store::Changes& changes) const;
};
FactorTargets addFactorTargets(store::Write& write, const Realm& realm, const UserId& user);

}  // namespace mb::identity
