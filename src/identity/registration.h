// RegistrationHook adds changes to the commit in which a platform user registers or verifies an address: the first user
// becomes super-admin, a personal organization is created, pending memberships become active. Implemented by projects/.
#pragma once

#include <functional>

#include "identity/user_change.h"
#include "identity/user_types.h"
#include "store/store.h"

namespace mb::identity {

// What a registration claims besides the credentials.
struct RegistrationClaims {
  std::string invite = {};     // the token of an invite's link, or ""
  std::string setupCode = {};  // as it was sent, or ""
  // The request can only come from this machine: the first user needs no set-up code.
  bool local = false;
};

struct RegistrationPlan {
  // Changes the user's platformRole, plan or emailVerified, never id or email, and the plan's documents. Adds the
  // epochs that these bump to the write's options. Fails with retry where the plan is out of date: the caller then
  // requests a new one (three at most).
  UserChangeSource addTo = [](store::Write&) -> UserChange {
    return [](UserRecord&, const store::PreImages&, store::Changes&) -> Result<> { return {}; };
  };
  // The address has a pending invitation: verifying the address accepts it.
  bool invited = false;
  // The claimed token is that of an invitation's mail. The write callback checks it again.
  bool byInvite = false;
  // Called once after the commit; must not wait. May be empty.
  std::function<void()> onCommit = {};
};

// The path of the error detail where the set-up code is missing or wrong.
inline constexpr std::string_view kSetupCodePath = "/setupCode";

class RegistrationHook {
 public:
  virtual ~RegistrationHook() = default;
  // Called before the commit; may read the store. `user` is the record to be registered. The token of an invite's link
  // verifies the address: the write callback then sets emailVerified.
  virtual Task<RegistrationPlan> plan(UserRecord user, RegistrationClaims claims) = 0;
  // Called before the commit that verifies the address of `user`, who is registered already. `invite`: the token of an
  // invite's link if that verifies it, or "".
  virtual Task<RegistrationPlan> planProven(UserRecord user, std::string invite) = 0;
  // The address that the token of an invitation's mail was sent to, in its original spelling; nullopt where the
  // invitation is used, cancelled or expired.
  virtual Task<std::optional<std::string>> invitedAddress(std::string token) = 0;
};

}  // namespace mb::identity
