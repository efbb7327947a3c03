// Changes of an end user by an admin, in one commit. Private to identity/.
#pragma once

#include <vector>

#include "identity/identity_deps.h"
#include "identity/realm.h"
#include "identity/user_change.h"
#include "policy/caller.h"
#include "store/store.h"

namespace mb::identity {

enum class UserWriteCheck {
  always,
  ifAccessChanges,  // address, verification, role, status, second factor
};

struct UserWrite {
  UserWriteCheck check = UserWriteCheck::always;
  UserChangeSource addTo;
  std::vector<store::Insert> entries;  // of the audit log
};

// Changes the user and bumps the project's epoch. Where `check` requires it, refuses to change a user whose custom role
// holds a permission that `by` does not: a caller who sets the address of an account can take it over by a password
// reset. The role "user" is exempt, as it is when a role is granted: every registration gets it. The role's record is
// held, so its permissions are those of the commit. Fails with forbidden, notFound, conflict (the user's role changed
// in each of three attempts; emailKey_1 refused) and with the errors of the change.
Task<> writeUser(const IdentityDeps& deps, Realm realm, UserId user, UserWrite input, policy::Caller by,
                 store::Deadline deadline);

}  // namespace mb::identity
