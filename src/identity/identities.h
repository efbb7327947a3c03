// Sign-in identities at other providers. An identity is the provider's name for the person (issuer and subject). An
// address links it to an account once, and only when the provider verified the address (docs/security.md, "Other
// providers").
#pragma once

#include <string>
#include <vector>

#include "identity/sessions.h"
#include "identity/users.h"

namespace mb::identity {

inline constexpr size_t kIdentitiesPerUser = 20;

struct IdentityRecord {
  std::string id;  // "idn_" and a digest of provider, issuer and subject
  UserId userId;
  std::string provider;
  std::string issuer;
  std::string subject;
  std::string email;  // as the provider sent it when the identity was linked
  Timestamp createdAt;
  static constexpr auto shape() {
    return doc::shape<IdentityRecord>(
        "IdentityRecord", doc::field("id", &IdentityRecord::id), doc::field("userId", &IdentityRecord::userId),
        doc::field("provider", &IdentityRecord::provider), doc::field("issuer", &IdentityRecord::issuer),
        doc::field("subject", &IdentityRecord::subject), doc::field("email", &IdentityRecord::email),
        doc::field("createdAt", &IdentityRecord::createdAt));
  }
};

struct IdentityView {
  std::string id;
  std::string provider;
  std::string email;
  Timestamp createdAt;
  static constexpr auto shape() {
    return doc::shape<IdentityView>(
        "Identity", doc::field("id", &IdentityView::id), doc::field("provider", &IdentityView::provider),
        doc::field("email", &IdentityView::email), doc::field("createdAt", &IdentityView::createdAt));
  }
};

struct ExternalIdentity;

class Identities {
 public:
  Identities(const IdentityDeps& deps, Users& users, Sessions& sessions)
      : deps_(deps), users_(users), sessions_(sessions) {}

  // The user of an identity: found by the identity; else by its verified address, which links it; else new. nullopt:
  // the address is not verified. An account whose own address was not verified loses its earlier credentials on
  // linking: password, second factor, sessions, other identities. `local`: RegistrationClaims. Fails with conflict (too
  // many identities, or a race lost in each attempt).
  Task<std::optional<UserRecord>> userOf(Realm realm, std::string provider, ExternalIdentity person, policy::Caller by,
                                         store::Deadline deadline, bool local = false);
  // Oldest first.
  Task<std::vector<IdentityRecord>> list(Realm realm, UserId user, store::Deadline deadline);
  // Fails with notFound; conflict where it is the only credential of the account.
  Task<> unlink(Realm realm, std::string id, policy::Caller by, store::Deadline deadline);

 private:
  // One attempt; fails with retry where a concurrent sign-in committed first.
  Task<std::optional<UserRecord>> userOfOnce(Realm realm, IdentityRecord identity, ExternalIdentity person,
                                             policy::Caller by, store::Deadline deadline, bool local);
  // Fails with retry where the identity or the user changed since they were read.
  Task<UserRecord> link(Realm realm, IdentityRecord identity, UserRecord user, policy::Caller by,
                        store::Deadline deadline);

  const IdentityDeps& deps_;
  Users& users_;
  Sessions& sessions_;
};

IdentityView viewOf(const IdentityRecord& identity);

}  // namespace mb::identity
