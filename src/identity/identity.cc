#include "identity/identity.h"

#include "identity/token_authenticator.h"

namespace mb::identity {

namespace {

class RoleSource final : public snapshot::SlotSource {
 public:
  explicit RoleSource(Roles& roles) : roles_(roles) {}
  Task<std::shared_ptr<const void>> load(snapshot::ProjectInfo project) override { return roles_.load(project.number); }

 private:
  Roles& roles_;
};

class KeySource final : public snapshot::SlotSource {
 public:
  explicit KeySource(ApiKeys& keys) : keys_(keys) {}
  Task<std::shared_ptr<const void>> load(snapshot::ProjectInfo project) override { return keys_.load(project.number); }

 private:
  ApiKeys& keys_;
};

class OauthSource final : public snapshot::SlotSource {
 public:
  explicit OauthSource(OauthConfigs& configs) : configs_(configs) {}
  Task<std::shared_ptr<const void>> load(snapshot::ProjectInfo project) override {
    return configs_.load(project.number);
  }

 private:
  OauthConfigs& configs_;
};

}  // namespace

IdentitySettings::IdentitySettings(Settings& settings)
    : authRate(settings.parsed<Rate>("SERVICE_AUTH_RATE_LIMIT", "10/60",
                                     "requests per seconds of each auth action, per address and project", parseRate)) {}

struct Identity::Impl {
  Impl(IdentityDeps given, const IdentitySettings& settings)
      : deps(std::move(given)),
        passwords(deps.cores.count()),
        tokens(deps.baseUrl, deps.clock),
        signingKeys({deps.store, deps.clock, deps.auditor, deps.master}, tokens),
        mail(deps),
        users(deps, passwords, mail),
        userQueries(deps),
        sessions(deps),
        links(deps, users, sessions, passwords, mail, background),
        mfa(deps),
        identities(deps, users, sessions),
        oauthConfigs(deps, slots),
        challenges(deps),
        roles(deps, slots),
        keys(deps),
        rateLimiter(settings.authRate, deps.clock),
        cookieRateLimiter(kCookieRate, deps.clock),
        authenticator(deps, tokens, users, sessions, keys, slots, background),
        describedCallers(deps.clock, tokens, users, slots),
        roleSource(roles),
        keySource(keys),
        oauthSource(oauthConfigs) {
    slots.roles = deps.snapshots.addSlot<RoleTable>(roleSource);
    slots.keys = deps.snapshots.addSlot<ApiKeyTable>(keySource);
    slots.oauth = deps.snapshots.addSlot<OauthConfig>(oauthSource);
    deps.variables.add(oauthConfigs);
  }

  const IdentityDeps deps;
  IdentitySlots slots;
  TaskGroup background;
  Passwords passwords;
  Tokens tokens;
  SigningKeys signingKeys;
  AccountMail mail;
  Users users;
  UserQueries userQueries;
  Sessions sessions;
  MailedLinks links;
  Mfa mfa;
  Identities identities;
  OauthConfigs oauthConfigs;
  Challenges challenges;
  Roles roles;
  ApiKeys keys;
  LocalRateLimiter rateLimiter;
  LocalRateLimiter cookieRateLimiter;
  TokenAuthenticator authenticator;
  DescribedCallers describedCallers;
  RoleSource roleSource;
  KeySource keySource;
  OauthSource oauthSource;
};

Identity::Identity(IdentityDeps deps, const IdentitySettings& settings)
    : impl_(std::make_unique<Impl>(std::move(deps), settings)) {}

Identity::~Identity() = default;

void Identity::setMembers(snapshot::SlotSource& source) {
  impl_->slots.members = impl_->deps.snapshots.addSlot<MemberTable>(source);
}

void Identity::setRegistrationHook(RegistrationHook& hook) {
  impl_->users.setRegistrationHook(hook);
}

Task<> Identity::start() {
  co_return co_await impl_->signingKeys.load();
}

void Identity::stop() {
  impl_->background.closeAndWait(std::chrono::seconds(5));
  impl_->passwords.stop();
}

Task<Admission> Identity::admit(Realm realm, UserRecord user, ClientInfo client, store::Deadline deadline) {
  Admission admission;
  if (!user.mfaEnabled) {
    auto opened = co_await impl_->sessions.open(realm, user, std::move(client), deadline);
    if (opened) {
      admission.opened = *std::move(opened);
      co_return admission;
    }
    if (opened.error().code() != ErrorCode::retry) co_return fail(std::move(opened).error());
  }
  CO_TRY(admission.mfaToken, co_await impl_->mfa.challenge(std::move(realm), std::move(user), deadline));
  co_return admission;
}

Users& Identity::users() {
  return impl_->users;
}
const UserQueries& Identity::userQueries() const {
  return impl_->userQueries;
}
Sessions& Identity::sessions() {
  return impl_->sessions;
}
const Tokens& Identity::tokens() const {
  return impl_->tokens;
}
SigningKeys& Identity::signingKeys() {
  return impl_->signingKeys;
}
MailedLinks& Identity::links() {
  return impl_->links;
}
Mfa& Identity::mfa() {
  return impl_->mfa;
}
Identities& Identity::identities() {
  return impl_->identities;
}
OauthConfigs& Identity::oauthConfigs() {
  return impl_->oauthConfigs;
}
Challenges& Identity::challenges() {
  return impl_->challenges;
}
Roles& Identity::roles() {
  return impl_->roles;
}
ApiKeys& Identity::keys() {
  return impl_->keys;
}
RateLimiter& Identity::rateLimiter() {
  return impl_->rateLimiter;
}
RateLimiter& Identity::cookieRateLimiter() {
  return impl_->cookieRateLimiter;
}
Authenticator& Identity::authenticator() {
  return impl_->authenticator;
}
const DescribedCallers& Identity::describedCallers() const {
  return impl_->describedCallers;
}
const IdentitySlots& Identity::slots() const {
  return impl_->slots;
}

}  // namespace mb::identity
