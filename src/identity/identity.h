// The module's facade: users, sessions, tokens, roles and keys of end users and platform users alike.
//
// Order at start-up: construct, setMembers and setRegistrationHook (both from projects/), then start() on a core,
// before the first request. stop() before the store closes.
#pragma once

#include <memory>

#include "base/settings.h"
#include "base/task_group.h"
#include "identity/api_keys.h"
#include "identity/authenticator.h"
#include "identity/described_callers.h"
#include "identity/identities.h"
#include "identity/identity_deps.h"
#include "identity/mailed_links.h"
#include "identity/mfa.h"
#include "identity/oauth_config.h"
#include "identity/passwords.h"
#include "identity/rate_limiter.h"
#include "identity/registration.h"
#include "identity/roles.h"
#include "identity/sessions.h"
#include "identity/signing_keys.h"
#include "identity/tables.h"
#include "identity/tokens.h"
#include "identity/user_queries.h"
#include "identity/users.h"

namespace mb::identity {

// Collections 10 to 29, which the store needs when it opens.
std::vector<store::SystemCollection> systemCollections();

struct IdentitySettings {
  explicit IdentitySettings(Settings& settings);
  IdentitySettings() = default;
  Rate authRate;  // SERVICE_AUTH_RATE_LIMIT
};

// The result of a valid first factor: a session, or the token for the second step.
struct Admission {
  std::optional<Sessions::Opened> opened;
  std::string mfaToken;  // empty where a session was opened
};

class Identity {
 public:
  Identity(IdentityDeps deps, const IdentitySettings& settings);
  ~Identity();

  // Adds the snapshot slot that `source` fills with a MemberTable.
  void setMembers(snapshot::SlotSource& source);
  void setRegistrationHook(RegistrationHook& hook);
  // Loads the signing keys from the store and creates the first one. Fails with internal when they were sealed under
  // another master secret.
  Task<> start();
  // Waits for background work (at most 5 s) and ends the password pool. Not from a core.
  void stop();

  // `user`: as read before the first factor was checked. If a second factor was activated since, it is required. Fails
  // as Sessions::open.
  Task<Admission> admit(Realm realm, UserRecord user, ClientInfo client, store::Deadline deadline);

  Users& users();
  const UserQueries& userQueries() const;
  Sessions& sessions();
  const Tokens& tokens() const;
  SigningKeys& signingKeys();
  MailedLinks& links();
  Mfa& mfa();
  Identities& identities();
  OauthConfigs& oauthConfigs();
  Challenges& challenges();
  Roles& roles();
  ApiKeys& keys();
  RateLimiter& rateLimiter();
  // Of refreshes by cookie: counts live sessions, by id in place of the address, apart from the addresses, so that
  // neither evicts windows of the other.
  RateLimiter& cookieRateLimiter();
  Authenticator& authenticator();
  const DescribedCallers& describedCallers() const;
  const IdentitySlots& slots() const;  // complete after setMembers

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mb::identity
