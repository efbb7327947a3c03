// Users of a realm: registration, the password check of a login, and administration. No HTTP, no tokens.
#pragma once

#include <string>
#include <vector>

#include "audit/audit.h"
#include "identity/account_mail.h"
#include "identity/attempt_guard.h"
#include "identity/identity_deps.h"
#include "identity/login_audit.h"
#include "identity/passwords.h"
#include "identity/realm.h"
#include "identity/registration.h"
#include "identity/tables.h"
#include "identity/user_follower.h"
#include "identity/user_types.h"
#include "policy/caller.h"

namespace mb::identity {

Error emailTaken();

// The name of a new user; null where it is blank. Fails with validation at /name.
Result<doc::Nullable<std::string>> userName(const std::optional<std::string>& given);

enum class UserStatus { active, inactive, blocked };

// Whether registration reports that an address is taken (project setting hideRegistered).
enum class TakenEmail { refuse, hide };

class Users {
 public:
  Users(const IdentityDeps& deps, Passwords& passwords, AccountMail& mail)
      : deps_(deps), passwords_(passwords), mail_(mail), guard_(deps.clock, kMaxFailedLogins, "logins") {}
  // Sets the hook of registrations in the control realm. Call before the first request; the hook outlives this object.
  void setRegistrationHook(RegistrationHook& hook) { hook_ = &hook; }
  // Sets the follower of new end users of projects. Call before the first request; it outlives this object.
  void setFollower(UserFollower& follower) { follower_ = &follower; }

  // Registers a user and mails a link that verifies the address. Fails with validation (syntax of the address, password
  // rules), emailTaken, unavailable (hashing queue full). With TakenEmail::hide a taken address returns a user that
  // looks new and is not stored, and its owner gets a mail.
  Task<UserRecord> registerUser(Realm realm, Registration input, TakenEmail taken, store::Deadline deadline);
  // As registerUser, in the control realm; fails with validation at /token where `input.invite` is not the token of a
  // pending invitation to the address.
  Task<UserRecord> registerInvited(Registration input, store::Deadline deadline);
  // As RegistrationHook::invitedAddress; nullopt without a hook.
  Task<std::optional<std::string>> invitedAddress(std::string token);
  // Registers a user whose address another provider has verified: emailVerified, without a password. `local`:
  // RegistrationClaims. Fails with validation, emailTaken.
  Task<UserRecord> addProven(Realm realm, std::string email, std::optional<std::string> name, store::Deadline deadline,
                             bool local = false);
  // The user with this password. Fails with invalidCredentials (in the same time for an unknown address),
  // userInactive, userBlocked, rateLimited (20 failures in 15 minutes on the address), unavailable.
  // Refusals are audited as login.failed; `by` has the client's address.
  // `method`: FailedLogin::method.
  Task<UserRecord> checkPassword(Realm realm, Credentials input, policy::Caller by = {},
                                 std::string method = std::string(kPasswordLogin));
  // Sets the password of the caller `by`, a signed-in user, and ends all their sessions but by.sessionId. Audited as
  // user.passwordChanged, and mailed to the user. Fails with validation (password rules, at /password),
  // invalidCredentials (another current password), rateLimited as checkPassword(), conflict (an account without a
  // password, or a concurrent change), unauthenticated (the session has ended), unavailable.
  Task<> changePassword(Realm realm, PasswordChange input, policy::Caller by, store::Deadline deadline);
  // Audits a refused sign-in of another method.
  Async<void> noteFailed(Realm realm, FailedLogin login, policy::Caller by);
  // Resets the count of failed logins on the address: its owner was verified in another way.
  void forgiveLogins(const Realm& realm, std::string_view emailKey);
  // The plan of the hook for the commit that verifies the user's address; empty on a project's plane. `invite`: the
  // token of an invitation's mail, where that verifies it.
  Task<RegistrationPlan> planProven(Realm realm, UserRecord user, std::string invite = {});

  Task<std::optional<UserRecord>> get(Realm realm, UserId id);
  Task<std::vector<std::optional<UserRecord>>> getMany(Realm realm, std::vector<UserId> ids);
  // By address, however it is spelled (email.h).
  Task<std::optional<UserRecord>> byEmail(Realm realm, std::string email);
  Task<std::vector<UserRecord>> list(Realm realm, uint64_t skip, uint64_t limit, store::Deadline deadline);

  // Administration. `by` is the actor of the audit entry: user.created, user.changed. Changing the access of a user who
  // holds a permission that `by` does not is forbidden (user_write.h).
  Task<UserRecord> create(Realm realm, NewUser input, policy::Caller by, store::Deadline deadline);
  // Setting metadata.role to a role that holds a permission that `by` does not is forbidden; a role that does not exist
  // holds none. Fails with notFound, validation, emailTaken.
  Task<> patch(Realm realm, UserId id, UserPatch input, policy::Caller by, store::Deadline deadline);
  // Audited as user.activate, user.deactivate, user.block. Fails with notFound.
  Task<> setStatus(Realm realm, UserId id, UserStatus status, policy::Caller by, store::Deadline deadline);

 private:
  Task<std::optional<UserRecord>> byKey(Realm realm, std::string emailKey);
  Task<UserRecord> verifyPassword(Realm realm, Credentials input);
  // The data of a new user besides its record.
  struct Addition {
    std::string password;
    TakenEmail taken = TakenEmail::refuse;
    bool verify = false;  // mail a link that verifies the address, unless it is verified
    RegistrationClaims claims;
    bool invitedOnly = false;  // fails where `claims.invite` is not the token of a pending invitation
    store::Actor actor;
    std::vector<store::Insert> entries = {};  // of the audit log
  };
  Task<UserRecord> registerWith(Realm realm, Registration input, Addition addition, store::Deadline deadline);
  Task<UserRecord> add(Realm realm, UserRecord user, Addition addition, store::Deadline deadline);
  Task<> notifyOwner(Realm realm, UserRecord owner, store::Deadline deadline);
  // The user as stored. Fails with emailTaken; conflict where other registrations committed first in each attempt.
  Task<UserRecord> commit(Realm realm, UserRecord user, Addition addition, MailPart mail, store::Deadline deadline);
  // One attempt; fails with retry where its plan is out of date.
  Task<UserRecord> commitOnce(Realm realm, UserRecord user, Addition addition, MailPart mail, store::Deadline deadline);

  const IdentityDeps& deps_;
  Passwords& passwords_;
  AccountMail& mail_;
  AttemptGuard guard_;
  RegistrationHook* hook_ = nullptr;
  UserFollower* follower_ = nullptr;
};

}  // namespace mb::identity
