// Taking a second factor away without a code, as admins and operators do. Private to identity/.
#pragma once

#include "identity/realm.h"
#include "identity/user_change.h"

namespace mb::identity {

// The documents of a user's second factor in a write: the factor, and an enrollment under way.
struct FactorTargets {
  store::Target factor;
  store::Target enrollment;

  // In the write callback: removes both, and leaves the user's record without a second factor.
  void remove(UserRecord& user, Timestamp now, store::Changes& changes) const;
};
FactorTargets addFactorTargets(store::Write& write, const Realm& realm, const UserId& user);

}  // namespace mb::identity
