#include "identity/oauth.h"

#include <algorithm>

#include "base/log.h"
#include "base/url_text.h"
#include "identity/challenges.h"
#include "identity/github.h"
#include "identity/identities.h"
#include "identity/oauth_state.h"
#include "identity/oidc.h"
#include "identity/records.h"
#include "identity/redirect.h"

namespace mb::identity {

namespace {

constexpr size_t kStateIdBytes = 16;
constexpr size_t kMaxCode = 4096;
constexpr std::string_view kRateAction = "oauth";

constexpr std::string_view kAccessDenied = "access_denied";
constexpr std::string_view kInvalidState = "invalid_state";
constexpr std::string_view kProviderError = "provider_error";
constexpr std::string_view kEmailUnverified = "email_unverified";
constexpr std::string_view kProviderDisabled = "provider_disabled";
constexpr std::string_view kUserBlocked = "user_blocked";

std::string withFragment(std::string_view url, std::string_view name, std::string_view value) {
  return std::string(url).append("#mb_").append(name).append(1, '=').append(percentEncoded(value));
}

std::string withError(std::string_view url, std::string_view reason) {
  return withFragment(url, "error", reason);
}

Realm realmOf(const snapshot::SnapshotPtr& project) {
  return project ? Realm::of(project->info()) : Realm::platform();
}

void logFailure(const std::string& provider, const Realm& realm, const Error& error) {
  logInfo(
      "sign-in with a provider failed",
      {{"provider", provider}, {"project", realm.id.str()}, {"problem", error.message()}, {"cause", error.cause()}});
}

}  // namespace

struct Oauth::Impl {
  Impl(OauthDeps given, OauthSettings with)
      : deps(std::move(given)),
        settings(std::move(with)),
        states(deps.master, deps.clock),
        oidc(deps.outbound, deps.clock) {
    if (auto own = outbound::originOf(deps.baseUrl)) deps.controlOrigins.push_back(*std::move(own));
  }

  const std::vector<std::string>& origins(const snapshot::SnapshotPtr& project) const {
    return project ? project->get(deps.identity.slots().oauth).allowedRedirects : deps.controlOrigins;
  }
  std::string callbackUrl(bool control, std::string_view provider) const {
    return deps.baseUrl + "/api/v1" + (control ? "/control" : "") + "/auth/oauth/" + std::string(provider) +
           "/callback";
  }
  OauthFlow flowOf(const OauthState& state, std::string signedState) const {
    return {callbackUrl(state.project.empty(), state.provider), std::move(signedState), states.verifierOf(state),
            states.nonceOf(state)};
  }

  // nullopt where the provider is not offered.
  Result<std::optional<ProviderClient>> clientOf(const snapshot::SnapshotPtr& project,
                                                 const std::string& provider) const;
  // The state's project, or null on the control plane. Fails if the project does not exist any more or is not active.
  Task<snapshot::SnapshotPtr> projectOf(OauthState state);
  Task<> useUp(Realm realm, OauthState state, store::Deadline deadline);
  Task<ExternalIdentity> identityFromProvider(ProviderClient client, OauthFlow flow, Callback callback);
  // Completes a sign-in with a valid state and returns the redirect with its fragment.
  Async<std::string> finishSignIn(snapshot::SnapshotPtr project, OauthState state, Callback callback,
                                  store::Deadline deadline);
  Task<std::string> admitUser(Realm realm, UserRecord user, Callback callback, std::string redirect,
                              store::Deadline deadline);
  // Audits a sign-in with a provider that was refused.
  Async<void> noteRefusal(Realm realm, std::string provider, std::string reason, std::string email, policy::Caller by);

  OauthDeps deps;
  const OauthSettings settings;
  const OauthStates states;
  Oidc oidc;
};

Oauth::Oauth(OauthDeps deps, OauthSettings settings)
    : impl_(std::make_unique<Impl>(std::move(deps), std::move(settings))) {}

Oauth::~Oauth() = default;

Result<std::optional<ProviderClient>> Oauth::Impl::clientOf(const snapshot::SnapshotPtr& project,
                                                            const std::string& provider) const {
  ProviderClient client;
  client.provider = provider;
  if (project) {
    const auto& providers = project->get(deps.identity.slots().oauth).providers;
    const auto found = providers.find(provider);
    if (found == providers.end() || !found->second.enabled) return std::nullopt;
    TRY(client.clientId, deps.identity.oauthConfigs().clientIdOf(*project, found->second));
    client.issuer = found->second.issuer.value_or("");
    client.project = project->info().id.str();
    TRY(client.clientSecret, deps.identity.oauthConfigs().secretOf(project->info().id, found->second));
  } else {
    const OauthSettings::Client& own = provider == kGoogle ? settings.google : settings.github;
    if (isGeneric(provider) || own.id.empty()) return std::nullopt;
    client.clientId = own.id;
    client.clientSecret = own.secret;
  }
  if (provider == kGoogle) {
    client.issuer = settings.googleIssuer;
    if (settings.ownGoogle) client.trust = outbound::Trust::deployment;
  }
  if (provider == kGithub) {
    client.issuer = settings.githubUrl;
    if (!settings.githubUrl.empty()) client.trust = outbound::Trust::deployment;
  }
  return client;
}

Task<Oauth::Started> Oauth::start(snapshot::SnapshotPtr project, std::string provider, std::string redirect) {
  if (!isProvider(provider)) co_return fail(ErrorCode::notFound, "no such provider");
  CO_RETURN_IF_ERROR(checkRedirect(redirect, impl_->origins(project)));
  const Realm realm = realmOf(project);
  auto client = impl_->clientOf(project, provider);
  if (!client) {
    logFailure(provider, realm, client.error());
    co_return Started{withError(redirect, kProviderError), ""};
  }
  if (!*client) co_return Started{withError(redirect, kProviderDisabled), ""};

  Started started;
  started.cookie = browserCookie();
  const OauthState state{
      randomToken(kStateIdBytes),           realm.id.str(), provider, redirect, browserDigest(started.cookie),
      impl_->deps.clock.now().ms + kStateMs};
  OauthFlow flow = impl_->flowOf(state, impl_->states.sign(state));
  if (provider == kGithub) {
    started.location = githubStart(**client, flow);
    co_return started;
  }
  auto location = co_await impl_->oidc.start(**std::move(client), std::move(flow));
  if (!location) {
    logFailure(provider, realm, location.error());
    co_return Started{withError(redirect, kProviderError), ""};
  }
  started.location = *std::move(location);
  co_return started;
}

Task<snapshot::SnapshotPtr> Oauth::Impl::projectOf(OauthState state) {
  if (state.project.empty()) co_return snapshot::SnapshotPtr();
  CO_TRY(snapshot::SnapshotPtr project, co_await deps.snapshots.find(state.project));
  if (!project || project->info().status != snapshot::ProjectStatus::active) {
    co_return fail(ErrorCode::notFound, "no such project");
  }
  co_return project;
}

Task<> Oauth::Impl::useUp(Realm realm, OauthState state, store::Deadline deadline) {
  ChallengeRecord used;
  used.id = "state:" + state.id;
  used.expiresAt = {state.expiresMs};
  co_return co_await deps.identity.challenges().put(realm, std::move(used), Existing::refuse, deadline);
}

Async<std::string> Oauth::finish(Callback callback, store::Deadline deadline) {
  const std::string lost = withError(impl_->deps.baseUrl + "/auth/login", kInvalidState);
  auto state = impl_->states.open(callback.state, callback.cookies);
  if (!state || state->provider != callback.provider || state->project.empty() != callback.control) co_return lost;
  auto project = co_await impl_->projectOf(*state);
  // The list may have changed since the start.
  if (!project || !checkRedirect(state->redirect, impl_->origins(*project))) co_return lost;
  if (!co_await impl_->useUp(realmOf(*project), *state, deadline)) co_return lost;
  co_return co_await impl_->finishSignIn(*project, *std::move(state), std::move(callback), deadline);
}

Task<ExternalIdentity> Oauth::Impl::identityFromProvider(ProviderClient client, OauthFlow flow, Callback callback) {
  if (callback.code.empty() || callback.code.size() > kMaxCode) {
    co_return fail(ErrorCode::unauthenticated, "the provider sent no valid code");
  }
  if (client.provider == kGithub) {
    co_return co_await githubFinish(deps.outbound, std::move(client), std::move(flow), std::move(callback.code));
  }
  co_return co_await oidc.finish(std::move(client), std::move(flow), std::move(callback.code),
                                 std::move(callback.issuer));
}

Async<std::string> Oauth::Impl::finishSignIn(snapshot::SnapshotPtr project, OauthState state, Callback callback,
                                             store::Deadline deadline) {
  const Realm realm = realmOf(project);
  if (!callback.error.empty()) {
    co_return withError(state.redirect, callback.error == kAccessDenied ? kAccessDenied : kProviderError);
  }
  const Allowance allowance =
      deps.identity.rateLimiter().take(callback.by.ip, realm.control ? "control" : realm.id.str(), kRateAction);
  if (!allowance) co_return withError(state.redirect, kProviderError);
  auto client = clientOf(project, state.provider);
  if (client && !*client) co_return withError(state.redirect, kProviderDisabled);
  if (!client) {
    logFailure(state.provider, realm, client.error());
    co_return withError(state.redirect, kProviderError);
  }
  auto person = co_await identityFromProvider(**std::move(client), flowOf(state, ""), callback);
  if (!person) {
    logFailure(state.provider, realm, person.error());
    co_await noteRefusal(realm, state.provider, "provider", "", callback.by);
    co_return withError(state.redirect, kProviderError);
  }
  const std::string email = person->email;
  auto user = co_await deps.identity.identities().userOf(realm, state.provider, *std::move(person), callback.by,
                                                         deadline, callback.local);
  if (!user && user.error().code() == ErrorCode::forbidden) {
    const auto& details = user.error().details();
    const bool isSetup = std::ranges::find(details, kSetupCodePath, &ErrorDetail::path) != details.end();
    co_await noteRefusal(realm, state.provider, isSetup ? "setupCode" : "uninvited", email, callback.by);
    co_return withError(state.redirect, kAccessDenied);
  }
  if (user && !*user) {
    co_await noteRefusal(realm, state.provider, "unverified", email, callback.by);
    co_return withError(state.redirect, kEmailUnverified);
  }
  if (user && !(*user)->active()) {
    const std::string reason = (*user)->status == kStatusBlocked ? "blocked" : "inactive";
    co_await noteRefusal(realm, state.provider, reason, email, callback.by);
    co_return withError(state.redirect, kUserBlocked);
  }
  callback.client.method = state.provider;
  auto location = user ? co_await admitUser(realm, **std::move(user), std::move(callback), state.redirect, deadline)
                       : Result<std::string>(fail(std::move(user).error()));
  if (location) co_return *std::move(location);
  logFailure(state.provider, realm, location.error());
  co_return withError(state.redirect, kProviderError);
}

Async<void> Oauth::Impl::noteRefusal(Realm realm, std::string provider, std::string reason, std::string email,
                                     policy::Caller by) {
  co_await deps.identity.users().noteFailed(
      std::move(realm), {std::move(provider), std::move(reason), std::move(email), {}}, std::move(by));
}

Task<std::string> Oauth::Impl::admitUser(Realm realm, UserRecord user, Callback callback, std::string redirect,
                                         store::Deadline deadline) {
  CO_TRY(const Admission admission,
         co_await deps.identity.admit(realm, std::move(user), std::move(callback.client), deadline));
  if (!admission.opened) co_return withFragment(redirect, "mfa", admission.mfaToken);
  co_return withFragment(redirect, "refresh", admission.opened->refreshToken);
}

}  // namespace mb::identity
