#include "identity/oauth.h"

#include "identity/oauth_fixture.h"
#include "identity/oauth_state.h"
#include "store/configuration_limits.h"

namespace mb::identity {
namespace {

using OauthTest = OauthFixture;

// ---- start

TEST_F(OauthTest, TheBrowserGoesWithAStateAndACookie) {
  const StartedSignIn begun = begin();
  EXPECT_TRUE(begun.location.starts_with("https://login.example.org/auth?")) << begun.location;
  EXPECT_EQ(fieldOf(begun.location, "redirect_uri"),
            "https%3A%2F%2Fapi.example.com%2Fapi%2Fv1%2Fauth%2Foauth%2Foidc-home%2Fcallback");
  EXPECT_EQ(fromBase64Url(begun.cookie)->size(), 32U);
  EXPECT_FALSE(begun.location.contains(begun.cookie));
  EXPECT_FALSE(begun.location.contains("s3cret"));
  EXPECT_NE(begin().cookie, begun.cookie);
  EXPECT_NE(begin().state, begun.state);
  // Nothing is stored until the callback.
  EXPECT_TRUE(store_.all({kShop, kChallenges, 0}).empty());
}

TEST_F(OauthTest, RedirectsAreThoseThatAreListed) {
  for (const char* redirect :
       {"", "/back", "https://evil.example/", "https://app.example.com.evil.example/",
        "https://app.example.com@evil.example/", "https://app.example.com\\@evil.example/", "http://app.example.com/",
        "https://app.example.com:8443/", "https://APP.example.com/", "https://sub.app.example.com/",
        "//app.example.com/", "javascript:alert(1)", "https://app.example.com/#x", "https://console.example.com/",
        "https://app.example.com%2eevil.example/"}) {
    EXPECT_EQ(codeOf(start("oidc-home", redirect)), "INVALID_PARAM") << redirect;
  }
  EXPECT_TRUE(start("oidc-home", "https://app.example.com/deep/er?x=https://evil.example"));
}

TEST_F(OauthTest, AProjectHasAtMostFiftyProviders) {
  // Three providers, and the redirects, are stored already.
  for (size_t i = 3; i < store::kMaxOauthProviders; ++i) {
    provide(directory_.projects[0], "oidc-more" + std::to_string(i), "https://login.example.org");
  }
  const auto another = run(
      identity_.oauthConfigs().setProvider(snapshotOf(directory_.projects[0]), "oidc-another",
                                           {"client-1", true, "s3cret", "https://login.example.org"}, admin(), soon()));
  EXPECT_EQ(codeOf(another), "CONFLICT");
  provide(directory_.projects[0], "oidc-more3", "https://other.example.org");
}

TEST_F(OauthTest, ProvidersThatAreNot) {
  for (const char* provider : {"", "facebook", "oidc-", "oidc-Home", "GITHUB", "oidc-home/..", "redirects"}) {
    EXPECT_EQ(codeOf(start(provider)), "NOT_FOUND") << provider;
  }
  provide(directory_.projects[0], "oidc-home", "https://login.example.org", false);
  for (const char* provider : {"oidc-home", "oidc-other", "google"}) {
    const auto started = start(provider);
    ASSERT_TRUE(started);
    EXPECT_EQ(started->location, std::string(kBack) + "#mb_error=provider_disabled") << provider;
    EXPECT_EQ(started->cookie, "");
  }
  work_.discover("", 500);
  EXPECT_EQ(start("oidc-work")->location, std::string(kBack) + "#mb_error=provider_error");
}

// ---- callback

TEST_F(OauthTest, AReturningBrowserIsSignedIn) {
  const std::string token = given(signsIn(), "refresh");
  ASSERT_NE(token, "");
  EXPECT_TRUE(refreshes(shop(), token));
  const auto ann = *run(identity_.users().byEmail(shop(), "ann@example.com"));
  ASSERT_TRUE(ann);
  EXPECT_TRUE(ann->emailVerified);
  EXPECT_NE(given(signsIn(), "refresh"), "");
  EXPECT_EQ(users(), 1U);
}

TEST_F(OauthTest, AStateCountsOnce) {
  const StartedSignIn begun = begin();
  EXPECT_NE(given(finish(callbackOf(begun)), "refresh"), "");
  EXPECT_EQ(finish(callbackOf(begun)), kLost);
  EXPECT_EQ(traded(), 1U);
}

TEST_F(OauthTest, OfParallelReturnsOneCounts) {
  const StartedSignIn begun = begin();
  std::vector<Task<std::string>> returns;
  for (int i = 0; i < 20; ++i) returns.push_back(finishing(callbackOf(begun)));
  int in = 0;
  for (const auto& location : runAll(std::move(returns))) {
    if (given(*location, "refresh").empty()) {
      EXPECT_EQ(*location, kLost);
    } else {
      ++in;
    }
  }
  EXPECT_EQ(in, 1);
  EXPECT_EQ(traded(), 1U);
}

// A state is used up by its callback, whatever the result.
TEST_F(OauthTest, AFailedStateCannotBeUsedAgain) {
  for (void (*const spoil)(Oauth::Callback&) :
       {+[](Oauth::Callback& c) { c.error = "access_denied"; }, +[](Oauth::Callback& c) { c.code.clear(); }}) {
    const StartedSignIn begun = begin();
    Oauth::Callback callback = callbackOf(begun);
    spoil(callback);
    EXPECT_NE(given(finish(callback), "error"), "");
    EXPECT_EQ(finish(callbackOf(begun)), kLost);
  }
}

struct Forgery {
  const char* what;
  void (*change)(Oauth::Callback&);
};

TEST_F(OauthTest, StatesOfOthersAreNoUse) {
  const Forgery cases[] = {
      {"no cookie", [](Oauth::Callback& c) { c.cookies.clear(); }},
      {"another browser", [](Oauth::Callback& c) { c.cookies = {browserCookie(), ""}; }},
      {"another provider", [](Oauth::Callback& c) { c.provider = "oidc-work"; }},
      {"no provider there is", [](Oauth::Callback& c) { c.provider = "x"; }},
      {"the other plane", [](Oauth::Callback& c) { c.control = true; }},
      {"no state", [](Oauth::Callback& c) { c.state.clear(); }},
      {"damaged", [](Oauth::Callback& c) { c.state.back() = c.state.back() == 'A' ? 'B' : 'A'; }},
      {"cut", [](Oauth::Callback& c) { c.state.resize(c.state.find('.')); }},
      {"long", [](Oauth::Callback& c) { c.state.assign(1 << 20, 'a'); }},
      // A provider's error without a state.
      {"an error without a state",
       [](Oauth::Callback& c) {
         c.state.clear();
         c.error = "access_denied";
       }},
  };
  for (const auto& [what, change] : cases) {
    const StartedSignIn begun = begin();
    Oauth::Callback callback = callbackOf(begun);
    change(callback);
    EXPECT_EQ(finish(callback), kLost) << what;
    // The browser that started the sign-in can still complete it.
    EXPECT_NE(given(finish(callbackOf(begun)), "refresh"), "") << what;
    clock_.advance(60'000);
  }
  EXPECT_EQ(traded(), std::size(cases));
}

TEST_F(OauthTest, AStateEndsWithItsTime) {
  const StartedSignIn begun = begin();
  clock_.advance(kStateMs);
  EXPECT_EQ(finish(callbackOf(begun)), kLost);
  EXPECT_EQ(traded(), 0U);
}

TEST_F(OauthTest, AStateIsOfOneProject) {
  const std::string there = given(finish(callbackOf(begin("oidc-home", "proj_other"))), "refresh");
  ASSERT_NE(there, "");
  EXPECT_TRUE(refreshes(other(), there));
  EXPECT_FALSE(refreshes(shop(), there));
  EXPECT_EQ(users(kShop), 0U);
  EXPECT_EQ(users(kOther), 1U);
}

TEST_F(OauthTest, AConcurrentEndEndsTheSignIn) {
  const StartedSignIn first = begin();
  allow(directory_.projects[0], {"https://new.example.com"});
  EXPECT_EQ(finish(callbackOf(first)), kLost);
  allow(directory_.projects[0], {"https://app.example.com"});

  const StartedSignIn second = begin();
  setStatusOf(0, snapshot::ProjectStatus::suspended);
  EXPECT_EQ(finish(callbackOf(second)), kLost);
  setStatusOf(0, snapshot::ProjectStatus::active);

  const StartedSignIn third = begin();
  provide(directory_.projects[0], "oidc-home", "https://login.example.org", false);
  EXPECT_EQ(given(finish(callbackOf(third)), "error"), "provider_disabled");
  EXPECT_EQ(users(), 0U);
  EXPECT_EQ(traded(), 0U);
}

// A state made for one issuer, after the name was assigned to another: the nonce and the PKCE verifier still match, so
// the issuer must be checked too.
TEST_F(OauthTest, AnotherIssuerUnderTheNameMustMatch) {
  const StartedSignIn begun = begin();
  provide(directory_.projects[0], "oidc-home", "https://work.example.org");
  Oauth::Callback callback = callbackOf(begun);
  callback.issuer = "https://login.example.org";
  EXPECT_EQ(given(finish(callback), "error"), "provider_error");
  EXPECT_EQ(users(), 0U);
}

TEST_F(OauthTest, ReasonsAreReportedAtTheRedirect) {
  const std::pair<const char*, const char*> cases[] = {{"access_denied", "access_denied"},
                                                       {"server_error", "provider_error"},
                                                       {"<script>", "provider_error"},
                                                       {"invalid_state", "provider_error"}};
  for (const auto& [sent, reported] : cases) {
    Oauth::Callback callback = callbackOf(begin());
    callback.error = sent;
    EXPECT_EQ(finish(callback), std::string(kBack) + "#mb_error=" + reported) << sent;
  }
  EXPECT_EQ(traded(), 0U);
}

TEST_F(OauthTest, InvalidResponsesAreRefused) {
  struct Case {
    const char* what;
    void (*change)(FakeIssuer&);
  };
  const Case cases[] = {{"another nonce", [](FakeIssuer& issuer) { issuer.claims.nonce = "another"; }},
                        {"another audience", [](FakeIssuer& issuer) { issuer.claims.audience = "client-2"; }},
                        {"another issuer", [](FakeIssuer& issuer) { issuer.claims.issuer = "https://evil.example"; }},
                        {"expired", [](FakeIssuer& issuer) { issuer.claims.expiresAfter = -61; }},
                        {"no algorithm", [](FakeIssuer& issuer) { issuer.claims.algorithm = "none"; }}};
  const Claims good = home_.claims;
  for (const auto& [what, change] : cases) {
    const StartedSignIn begun = begin();
    change(home_);
    EXPECT_EQ(given(finish(callbackOf(begun)), "error"), "provider_error") << what;
    home_.claims = good;
  }
  for (const size_t length : {size_t{0}, size_t{4097}}) {
    Oauth::Callback callback = callbackOf(begin());
    callback.code = std::string(length, 'c');
    EXPECT_EQ(given(finish(callback), "error"), "provider_error") << length;
  }
  EXPECT_EQ(users(), 0U);
}

// ---- the identity

TEST_F(OauthTest, AnUnverifiedAddressIsRefused) {
  ASSERT_TRUE(registerIn(shop(), "ann@example.com"));
  home_.claims.verified = false;
  EXPECT_EQ(given(signsIn(), "error"), "email_unverified");
  home_.claims.verified = true;
  home_.claims.email.clear();
  EXPECT_EQ(given(signsIn(), "error"), "email_unverified");
  EXPECT_TRUE(store_.all({kShop, kIdentities, 0}).empty());
  EXPECT_TRUE(login(shop(), "ann@example.com"));
  EXPECT_EQ(users(), 1U);
}

TEST_F(OauthTest, AnInactiveUserIsRefused) {
  ASSERT_NE(given(signsIn(), "refresh"), "");
  const UserId ann = (*run(identity_.users().byEmail(shop(), "ann@example.com")))->id;
  for (const UserStatus status : {UserStatus::blocked, UserStatus::inactive}) {
    ASSERT_TRUE(setStatus(shop(), ann, status));
    EXPECT_EQ(given(signsIn(), "error"), "user_blocked");
  }
  ASSERT_TRUE(setStatus(shop(), ann, UserStatus::active));
  EXPECT_NE(given(signsIn(), "refresh"), "");
}

TEST_F(OauthTest, ASecondFactorIsRequiredAllTheSame) {
  ASSERT_NE(given(signsIn(), "refresh"), "");
  Person ann{shop(), (*run(identity_.users().byEmail(shop(), "ann@example.com")))->id, "", {}};
  ASSERT_EQ(enroll(ann), "");
  ASSERT_EQ(activate(ann, totp(ann, -1)), "");
  const size_t sessions = store_.all({kShop, kSessions, 0}).size();
  const std::string token = given(signsIn(), "mfa");
  ASSERT_NE(token, "");
  EXPECT_EQ(store_.all({kShop, kSessions, 0}).size(), sessions);
  EXPECT_EQ(verify(shop(), token, totp(ann, 0)), "");
}

TEST_F(OauthTest, ReturnsAreCountedPerAddress) {
  for (int i = 0; i < 10; ++i) ASSERT_NE(given(signsIn(), "refresh"), "") << i;
  EXPECT_EQ(given(signsIn(), "error"), "provider_error");
  EXPECT_EQ(traded(), 10U);
  Oauth::Callback elsewhere = callbackOf(begin());
  elsewhere.by.ip = "198.51.100.7";
  EXPECT_NE(given(finish(elsewhere), "refresh"), "");
}

// ---- the control plane

TEST_F(OauthTest, ThePlatformHasItsOwnProvidersAndRedirects) {
  EXPECT_EQ(codeOf(start("github", kBack, "")), "INVALID_PARAM");
  for (const char* redirect : {"https://console.example.com/in", "https://api.example.com/auth/login"}) {
    const auto started = start("github", redirect, "");
    ASSERT_TRUE(started) << redirect;
    EXPECT_EQ(fieldOf(started->location, "client_id"), "platform-client");
    EXPECT_TRUE(fieldOf(started->location, "redirect_uri").contains("control%2Fauth%2Foauth%2Fgithub")) << redirect;
  }
  for (const char* provider : {"oidc-home", "google"}) {
    EXPECT_EQ(start(provider, "https://console.example.com/", "")->location,
              "https://console.example.com/#mb_error=provider_disabled");
  }
}

TEST_F(OauthTest, PlanesTakeNoStatesOfEachOther) {
  const auto platform = start("github", "https://console.example.com/", "");
  ASSERT_TRUE(platform);
  const StartedSignIn begun{platform->location, platform->cookie, fieldOf(platform->location, "state")};
  EXPECT_EQ(finish(callbackOf(begun, "github")), kLost);
  const StartedSignIn data = begin("github");
  Oauth::Callback callback = callbackOf(data, "github");
  callback.control = true;
  EXPECT_EQ(finish(callback), kLost);
  EXPECT_EQ(outside_.calls(), 0U);
}

}  // namespace
}  // namespace mb::identity
