// Sign-ins in the audit record: what succeeded goes with the session's commit, what failed with one of its own, bounded
// (audit/failure_bound.h). Private to identity/.
#pragma once

#include "identity/identity_deps.h"
#include "identity/realm.h"
#include "identity/user_types.h"
#include "policy/caller.h"

namespace mb::identity {

struct FailedLogin {
  std::string method;  // "password", "mfa", or the provider
  // "credentials", "code", "inactive", "blocked", "tooManyTries", "unverified", "uninvited", "setupCode", "provider"
  std::string reason;
  std::string email;  // as it was typed, or as a provider gave it; ""
  UserId user;        // where it is certain whose it was
};

// Commits a login.failed. Does the same whether or not the address is known. That it cannot be recorded is logged, and
// changes nothing for whoever is refused.
Async<void> noteFailedLogin(const IdentityDeps& deps, Realm realm, FailedLogin login, policy::Caller by);
// Why a sign-in was refused, as `reason`; "" for what is no refusal of it.
std::string_view refusalOf(ErrorCode code);

// At most 254 characters of an address.
std::string shortened(std::string_view email);

}  // namespace mb::identity
