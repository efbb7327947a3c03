// Users of a realm: registration, the password check of a login, and what admins do with them. No HTTP, no tokens.
#pragma once

#include <string>
#include <vector>

#include "audit/audit.h"
#include "identity/identity_deps.h"
#include "identity/passwords.h"
#include "identity/realm.h"
#include "identity/registration.h"
#include "identity/tables.h"
#include "identity/user_types.h"
#include "policy/caller.h"

namespace mb::identity {

enum class UserStatus { active, inactive, blocked };

// Whether a taken address is told at registration (project setting hideRegistered).
enum class TakenEmail { refuse, hide };

class Users {
 public:
  Users(const IdentityDeps& deps, Passwords& passwords) : deps_(deps), passwords_(passwords), guard_(deps.clock) {}
  // Called for registrations in the control realm. Before the first request; outlives this.
  void setRegistrationHook(RegistrationHook& hook) { hook_ = &hook; }

  // Fails with validation (shape of the address, password rules), emailTaken, unavailable (hashing queue full). With
  // TakenEmail::hide a taken address gives a user that looks new and is nowhere.
  Task<UserRecord> registerUser(Realm realm, Registration input, TakenEmail taken, store::Deadline deadline);
  // The user with this password. Fails with invalidCredentials (in the same time for an unknown address),
  // userInactive, userBlocked, rateLimited (20 failures in 15 minutes on the address), unavailable.
  Task<UserRecord> checkPassword(Realm realm, Credentials input);

  Task<std::optional<UserRecord>> get(Realm realm, UserId id);
  Task<std::vector<std::optional<UserRecord>>> getMany(Realm realm, std::vector<UserId> ids);
  // By address, whatever its case.
  Task<std::optional<UserRecord>> byEmail(Realm realm, std::string email);
  Task<std::vector<UserRecord>> list(Realm realm, uint64_t skip, uint64_t limit, store::Deadline deadline);

  // What admins do. The caller names the actor of the audit entry.
  Task<UserRecord> create(Realm realm, NewUser input, policy::Caller by, store::Deadline deadline);
  // `roles` are the project's end-user roles: naming one in metadata.role that holds more than the caller does is
  // forbidden. Fails with notFound, validation, emailTaken.
  Task<> patch(Realm realm, UserId id, UserPatch input, policy::Caller by, std::shared_ptr<const RoleTable> roles,
               store::Deadline deadline);
  // Audited as user.activate, user.deactivate, user.block. Fails with notFound.
  Task<> setStatus(Realm realm, UserId id, UserStatus status, policy::Caller by, store::Deadline deadline);

 private:
  Task<std::optional<UserRecord>> byKey(Realm realm, std::string emailKey);
  Task<UserRecord> add(Realm realm, UserRecord user, std::string password, TakenEmail taken, store::Actor actor,
                       store::Deadline deadline);
  Task<store::WriteOutcome> commit(Realm realm, std::shared_ptr<UserRecord> user, store::Actor actor,
                                   store::Deadline deadline);

  const IdentityDeps& deps_;
  Passwords& passwords_;
  LoginGuard guard_;
  RegistrationHook* hook_ = nullptr;
};

}  // namespace mb::identity
