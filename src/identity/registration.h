// What else happens when a platform user registers or proves their address, in the same commit: the first user becomes
// super-admin, a personal organization is made, pending memberships become active. Implemented by projects/.
#pragma once

#include <functional>
#include <span>
#include <vector>

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
  // Documents that the write locks beside the user's own; distinct, and none of them the user's.
  std::vector<store::WriteTarget> targets;
  // Runs inside the judge of that write: may change the user (platformRole, plan, emailVerified; never id or email) and
  // gives one change per target, each given as it is now. Must not wait. Failing with staleCatalogue asks for a new
  // plan (three at most); any other failure is the registration's.
  std::move_only_function<Result<std::vector<store::Change>>(UserRecord& user,
                                                             std::span<const std::optional<doc::Document>> before)>
      judge;
  std::vector<store::ProjectNo> bumpEpochs;  // beside what the registration bumps itself
  // An invitation waits for the address: a proof of it counts as following the invitation.
  bool invited = false;
  // The token that came along is that of an invitation's mail. The judge looks again.
  bool byInvite = false;
  // Called once after the commit; must not wait. May be empty.
  std::move_only_function<void()> committed = {};
};

// The detail of a refusal that is about the set-up code.
inline constexpr std::string_view kSetupCodePath = "/setupCode";

class RegistrationHook {
 public:
  virtual ~RegistrationHook() = default;
  // Before the commit; may read the store. `user` is what will be registered. The token of an invite's link proves the
  // address: the judge then sets emailVerified.
  virtual Task<RegistrationPlan> plan(UserRecord user, RegistrationClaims claims) = 0;
  // Before the commit in which `user`, who is there already, proves their address. `invite`: the token of an invite's
  // link that came along, or "".
  virtual Task<RegistrationPlan> planProven(UserRecord user, std::string invite) = 0;
  // The address that the token of an invitation's mail was sent to, as it was given; nullopt where the invitation is
  // used, cancelled or expired.
  virtual Task<std::optional<std::string>> invitedAddress(std::string token) = 0;
};

}  // namespace mb::identity
