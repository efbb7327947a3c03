// Sign-ins in the audit log: a successful one is recorded in the session's commit, a failed one in a commit of its own,
// bounded (audit/failure_bound.h). Private to identity/.
#pragma once

#include "identity/identity_deps.h"
#include "identity/realm.h"
#include "identity/user_types.h"
#include "policy/caller.h"

namespace mb::identity {

inline constexpr std::string_view kPasswordLogin = "password";
inline constexpr std::string_view kPasswordChange = "passwordChange";

struct FailedLogin {
  std::string method;  // kPasswordLogin, kPasswordChange, "mfa", or the provider
  // "credentials", "code", "inactive", "blocked", "tooManyTries", "unverified", "uninvited", "setupCode", "provider"
  std::string reason;
  std::string email;  // as it was typed, or as a provider sent it; ""
  UserId user;        // empty unless the attempt is certain to be this user's
};

// Commits a login.failed entry; does the same work whether or not the address is known. A failure to record it is
// logged and does not change the response.
Async<void> noteFailedLogin(const IdentityDeps& deps, Realm realm, FailedLogin login, policy::Caller by);
// The `reason` of a refused sign-in; "" where the error is not a refusal.
std::string_view refusalOf(ErrorCode code);

// The first 254 characters of an address.
std::string shortened(std::string_view email);

}  // namespace mb::identity
