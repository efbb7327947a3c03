// What an admin changes of an end user, in one commit. Private to identity/.
#pragma once

#include <string>
#include <vector>

#include "identity/identity_deps.h"
#include "identity/realm.h"
#include "policy/caller.h"
#include "store/store.h"

namespace mb::identity {

enum class UserWriteCheck {
  always,
  ifAccessChanges,  // address, verification, role, status, second factor
};

// Writes what `judge` makes of `targets`, the first of which is the user, and bumps the project's epoch. Where `check`
// asks for it, refuses the change of a user whose custom role holds a permission that `by` does not: whoever sets the
// address of an account can take it over by a password reset. The role "user" is exempt, as it is when a role is
// given: every registration gets it. The role's record is one more target, so its permissions are those of the commit.
// Fails with forbidden, notFound, conflict (the user's role changed at each of three attempts) and as `judge` does.
Task<store::JudgeOutcome> writeUser(const IdentityDeps& deps, Realm realm, UserWriteCheck check, policy::Caller by,
                                    std::vector<store::WriteTarget> targets, store::Judge judge,
                                    store::Deadline deadline);

}  // namespace mb::identity
