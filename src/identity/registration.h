// What else happens when a platform user registers or proves their address, in the same commit: the first user becomes
// super-admin, a personal organization is made, pending memberships become active. Implemented by projects/.
#pragma once

#include <functional>

#include "identity/user_change.h"
#include "identity/user_types.h"
#include "store/store.h"

namespace mb::identity {

// What a registration brings with it.
struct RegistrationClaims {
  std::string invite = {};     // the token of an invite's link, or ""
  std::string setupCode = {};  // as it was given, or ""
  // The request came from this machine alone: the first user needs no set-up code.
  bool local = false;
};

struct RegistrationPlan {
  // What the registration changes with it: the user's platformRole, plan or emailVerified, never id or email, and the
  // plan's documents. Adds the epochs that move with these to the write's options. Fails with retry where the plan is
  // out of date: a new one is asked for (three at most).
  UserChangeSource addTo = [](store::Write&) -> UserChange {
    return [](UserRecord&, const store::PreImages&, store::Changes&) -> Result<> { return {}; };
  };
  // An invitation waits for the address: a proof of it counts as following the invitation.
  bool invited = false;
  // The token that came along is that of an invitation's mail. The write callback checks it again.
  bool byInvite = false;
  // Called once after the commit; must not wait. May be empty.
  std::function<void()> onCommit = {};
};

// The detail of a refusal that is about the set-up code.
inline constexpr std::string_view kSetupCodePath = "/setupCode";

class RegistrationHook {
 public:
  virtual ~RegistrationHook() = default;
  // Before the commit; may read the store. `user` is what will be registered. The token of an invite's link proves the
  // address: the write callback then sets emailVerified.
  virtual Task<RegistrationPlan> plan(UserRecord user, RegistrationClaims claims) = 0;
  // Before the commit in which `user`, who is there already, proves their address. `invite`: the token of an invite's
  // link that came along, or "".
  virtual Task<RegistrationPlan> planProven(UserRecord user, std::string invite) = 0;
  // The address that the token of an invitation's mail was sent to, as it was given; nullopt where the invitation is
  // used, cancelled or expired.
  virtual Task<std::optional<std::string>> invitedAddress(std::string token) = 0;
};

}  // namespace mb::identity
