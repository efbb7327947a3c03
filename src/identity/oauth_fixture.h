// Two projects with scripted providers, and browsers that sign in with them.
#pragma once

#include "identity/mfa_fixture.h"
#include "identity/oauth.h"
#include "identity/provider_fixture.h"

namespace mb::identity {

inline constexpr const char* kBack = "https://app.example.com/back";
inline constexpr const char* kLost = "https://api.example.com/auth/login#mb_error=invalid_state";

class OauthFixture : public MfaFixture {
 protected:
  OauthFixture() {
    setUp(directory_.projects[0]);
    setUp(directory_.projects[1]);
  }

  void setUp(const snapshot::ProjectInfo& project) {
    provide(project, "oidc-home", "https://login.example.org");
    provide(project, "oidc-work", "https://work.example.org");
    provide(project, "github", std::nullopt);
    allow(project, {"https://app.example.com"});
  }
  void provide(const snapshot::ProjectInfo& project, std::string provider, std::optional<std::string> issuer,
               bool enabled = true) {
    ASSERT_TRUE(
        run(identity_.oauthConfigs().setProvider(snapshotOf(project), std::move(provider),
                                                 {"client-1", enabled, "s3cret", std::move(issuer)}, admin(), soon())));
  }
  void allow(const snapshot::ProjectInfo& project, std::vector<std::string> origins) {
    ASSERT_TRUE(run(identity_.oauthConfigs().setRedirects(project, {std::move(origins)}, admin(), soon())));
  }
  void setStatusOf(size_t project, snapshot::ProjectStatus status) {
    directory_.projects[project].status = status;
    store_.bumpEpoch(directory_.projects[project].number);
  }

  // A browser that was redirected to a provider.
  struct StartedSignIn {
    std::string location;
    std::string cookie;
    std::string state;
  };
  Task<Oauth::Started> starting(std::string project, std::string provider, std::string redirect) {
    snapshot::SnapshotPtr snapshot;
    if (!project.empty()) {
      CO_TRY(snapshot, co_await snapshots_.find(std::move(project)));
    }
    co_return co_await oauth_.start(std::move(snapshot), std::move(provider), std::move(redirect));
  }
  Result<Oauth::Started> start(std::string provider, std::string redirect = kBack, std::string project = "proj_shop") {
    return run(starting(std::move(project), std::move(provider), std::move(redirect)));
  }
  StartedSignIn begin(std::string provider = "oidc-home", std::string project = "proj_shop",
                      std::string redirect = kBack) {
    auto started = start(std::move(provider), std::move(redirect), std::move(project));
    EXPECT_TRUE(started) << codeOf(started);
    if (!started) return {};
    home_.claims.nonce = work_.claims.nonce = fieldOf(started->location, "nonce");
    return {started->location, started->cookie, fieldOf(started->location, "state")};
  }
  static Oauth::Callback callbackOf(const StartedSignIn& begun, std::string provider = "oidc-home") {
    Oauth::Callback callback;
    callback.provider = std::move(provider);
    callback.state = begun.state;
    callback.cookies = {begun.cookie};
    callback.code = "code-1";
    callback.client = {"203.0.113.20", "a browser"};
    callback.by = stranger();
    return callback;
  }
  Task<std::string> finishing(Oauth::Callback callback) {
    co_return co_await oauth_.finish(std::move(callback), soon());
  }
  std::string finish(Oauth::Callback callback) { return *run(finishing(std::move(callback))); }
  // The redirect of a whole sign-in.
  std::string signsIn() { return finish(callbackOf(begin())); }

  size_t users(store::ProjectNo project = kShop) const { return store_.all({project, kUsers, 0}).size(); }
  size_t traded() const { return outside_.seen(home_.tokenUrl()).size(); }
  // The value of "#mb_<name>=" in a redirect to kBack; "" for another URL.
  static std::string given(const std::string& location, const std::string& name) {
    const std::string before = std::string(kBack) + "#mb_" + name + "=";
    return location.starts_with(before) ? location.substr(before.size()) : "";
  }
  bool refreshes(const Realm& realm, const std::string& token) {
    return run(identity_.sessions().refresh(realm, token, Rotation::keep, {}, soon())).has_value();
  }

  static OauthSettings settings() {
    OauthSettings settings;
    settings.github = {"platform-client", Secret("hidden")};
    return settings;
  }

  ScriptedOutbound outside_;
  FakeIssuer home_{outside_, clock_, "https://login.example.org", "client-1"};
  FakeIssuer work_{outside_, clock_, "https://work.example.org", "client-1"};
  Oauth oauth_{
      {identity_, snapshots_, outside_, clock_, master_, "https://api.example.com", {"https://console.example.com"}},
      settings()};
};

}  // namespace mb::identity
