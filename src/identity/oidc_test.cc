#include "identity/oidc.h"

#include "identity/identity_fixture.h"
#include "identity/provider_fixture.h"

namespace mb::identity {
namespace {

constexpr std::string_view kIssuer = "https://login.example.org";

class OidcTest : public IdentityFixture {
 protected:
  OidcTest() {
    client_.provider = "oidc-home";
    client_.clientId = "shop client";
    client_.clientSecret = Secret("s:cret");
    client_.issuer = kIssuer;
    client_.project = "proj_shop";
    issuer_.claims.nonce = flow_.nonce;
  }
  Result<std::string> start() { return run(oidc_.start(client_, flow_)); }
  Result<ExternalIdentity> finish(std::string issuer = "") {
    return run(oidc_.finish(client_, flow_, "code-1", std::move(issuer)));
  }
  size_t asked(const std::string& url) const { return outside_.seen(url).size(); }

  ScriptedOutbound outside_;
  FakeIssuer issuer_{outside_, clock_, std::string(kIssuer), "shop client"};
  Oidc oidc_{outside_, clock_};
  ProviderClient client_;
  const OauthFlow flow_{"https://api.example.com/cb", "the-state", "the-verifier", "the-nonce"};
};

TEST_F(OidcTest, TheBrowserGoesToTheIssuer) {
  const auto url = start();
  ASSERT_TRUE(url);
  EXPECT_TRUE(url->starts_with("https://login.example.org/auth?")) << *url;
  const std::pair<const char*, std::string> fields[] = {{"response_type", "code"},
                                                        {"client_id", "shop%20client"},
                                                        {"redirect_uri", "https%3A%2F%2Fapi.example.com%2Fcb"},
                                                        {"scope", "openid%20email%20profile"},
                                                        {"state", "the-state"},
                                                        {"nonce", "the-nonce"},
                                                        {"code_challenge", challengeOf("the-verifier")},
                                                        {"code_challenge_method", "S256"}};
  for (const auto& [name, value] : fields) EXPECT_EQ(fieldOf(*url, name), value) << name;
  EXPECT_FALSE(url->contains("the-verifier"));
}

TEST_F(OidcTest, TheCodeIsExchangedForTheIdentity) {
  const auto who = finish();
  ASSERT_TRUE(who) << who.error().cause();
  EXPECT_EQ(who->issuer, kIssuer);
  EXPECT_EQ(who->subject, "ann-1");
  EXPECT_EQ(who->email, "ann@example.com");
  EXPECT_TRUE(who->emailVerified);
  const auto traded = outside_.seen(issuer_.tokenUrl());
  ASSERT_EQ(traded.size(), 1U);
  EXPECT_EQ(traded[0].method, "POST");
  EXPECT_EQ(fieldOf(traded[0].body, "code"), "code-1");
  EXPECT_EQ(fieldOf(traded[0].body, "code_verifier"), "the-verifier");
  EXPECT_EQ(fieldOf(traded[0].body, "redirect_uri"), "https%3A%2F%2Fapi.example.com%2Fcb");
  EXPECT_EQ(fieldOf(traded[0].body, "client_secret"), "");
  EXPECT_EQ(headerOf(traded[0], "authorization"), "Basic " + toBase64("shop%20client:s%3Acret"));
  EXPECT_EQ(traded[0].trust, outbound::Trust::guarded);
  EXPECT_EQ(traded[0].keys.project, "proj_shop");
}

TEST_F(OidcTest, TheSecretGoesWhereTheIssuerTakesIt) {
  issuer_.discover(issuer_.metadata(R"(,"token_endpoint_auth_methods_supported":["client_secret_post"])"));
  ASSERT_TRUE(finish());
  const auto traded = outside_.seen(issuer_.tokenUrl());
  EXPECT_EQ(fieldOf(traded[0].body, "client_secret"), "s%3Acret");
  EXPECT_EQ(headerOf(traded[0], "authorization"), "");
  client_.clientSecret = Secret();
  ASSERT_TRUE(finish());
  EXPECT_EQ(fieldOf(outside_.seen(issuer_.tokenUrl())[1].body, "client_secret"), "");
}

// ---- tokens

struct Wrong {
  const char* what;
  void (*change)(Claims&);
};

TEST_F(OidcTest, OtherTokensAreRefused) {
  const Wrong cases[] = {{"issuer", [](Claims& c) { c.issuer = "https://login.example.com"; }},
                         {"issuer with a slash", [](Claims& c) { c.issuer += "/"; }},
                         {"no issuer", [](Claims& c) { c.issuer.clear(); }},
                         {"audience", [](Claims& c) { c.audience = "another client"; }},
                         {"no audience", [](Claims& c) { c.audience.clear(); }},
                         {"nonce", [](Claims& c) { c.nonce = "another"; }},
                         {"no nonce", [](Claims& c) { c.nonce.clear(); }},
                         {"no subject", [](Claims& c) { c.subject.clear(); }},
                         {"long subject", [](Claims& c) { c.subject = std::string(256, 'a'); }},
                         {"expired",
                          [](Claims& c) {
                            c.expiresAfter = -60;
                            c.issuedAfter = -600;
                          }},
                         {"from the future", [](Claims& c) { c.issuedAfter = 61; }},
                         {"ends before it begins",
                          [](Claims& c) {
                            c.issuedAfter = 30;
                            c.expiresAfter = 20;
                          }},
                         {"no signature's algorithm", [](Claims& c) { c.algorithm = "none"; }},
                         {"a secret's algorithm", [](Claims& c) { c.algorithm = "HS256"; }},
                         {"another key's algorithm", [](Claims& c) { c.algorithm = "RS256"; }},
                         {"no algorithm", [](Claims& c) { c.algorithm.clear(); }}};
  ASSERT_TRUE(finish());
  const Claims good = issuer_.claims;
  for (const auto& [what, change] : cases) {
    clock_.advance(61'000);  // allows another fetch of the keys
    issuer_.claims = good;
    change(issuer_.claims);
    EXPECT_EQ(codeOf(finish()), "UNAUTHENTICATED") << what;
  }
  issuer_.claims = good;
  EXPECT_TRUE(finish());
}

TEST_F(OidcTest, ResponsesWithoutTokensAreRefused) {
  const std::pair<std::string, int> answers[] = {{"{}", 200},
                                                 {R"({"id_token":7})", 200},
                                                 {R"({"id_token":"a.b"})", 200},
                                                 {R"({"id_token":"a.b.c"})", 200},
                                                 {"[]", 200},
                                                 {"", 200},
                                                 {"<html>", 200},
                                                 {R"({"error":"invalid_grant"})", 400},
                                                 {issuer_.tokenResponse(), 201},
                                                 {issuer_.tokenResponse(), 302},
                                                 {issuer_.tokenResponse(), 500},
                                                 {std::string(200, '[') + std::string(200, ']'), 200}};
  for (const auto& [body, status] : answers) {
    outside_.on(issuer_.tokenUrl(), body, status);
    EXPECT_FALSE(finish()) << body.substr(0, 60) << " " << status;
  }
}

TEST_F(OidcTest, AnotherKeyUnderAKnownNameIsRefused) {
  ASSERT_TRUE(finish());
  const std::string published = R"({"keys":[)" + issuer_.jwk() + "]}";
  const std::string name = issuer_.keyId();
  issuer_.rotate();
  outside_.on(issuer_.keysUrl(), published);
  issuer_.signAs(name);
  EXPECT_EQ(codeOf(finish()), "UNAUTHENTICATED");
}

// ---- keys

TEST_F(OidcTest, ANewKeyIsFoundAndAnOldOneEnds) {
  ASSERT_TRUE(finish());
  const std::string old = issuer_.tokenResponse();
  issuer_.rotate();
  EXPECT_TRUE(finish());
  EXPECT_TRUE(finish());
  EXPECT_EQ(asked(issuer_.keysUrl()), 2U);
  outside_.on(issuer_.tokenUrl(), old);
  EXPECT_EQ(codeOf(finish()), "UNAUTHENTICATED");
}

TEST_F(OidcTest, UnknownKeysAreLookedForFiveTimesAMinute) {
  ASSERT_TRUE(finish());
  issuer_.signAs("made up");
  for (int i = 0; i < 50; ++i) EXPECT_EQ(codeOf(finish()), "UNAUTHENTICATED");
  EXPECT_EQ(asked(issuer_.keysUrl()), 6U);
  clock_.advance(60'000);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(codeOf(finish()), "UNAUTHENTICATED");
  EXPECT_EQ(asked(issuer_.keysUrl()), 11U);
}

TEST_F(OidcTest, ForgedKeysLockNoUserOut) {
  ASSERT_TRUE(finish());
  const std::string right = issuer_.tokenResponse();
  issuer_.signAs("made up");
  for (int i = 0; i < 50; ++i) ASSERT_FALSE(finish());
  outside_.on(issuer_.tokenUrl(), right);
  EXPECT_TRUE(finish());
}

TEST_F(OidcTest, KeysThatCannotBeHadEndTheSignIn) {
  const std::pair<const char*, int> answers[] = {{"", 200}, {"{}", 500}, {"<html>", 200}};
  for (const auto& [body, status] : answers) {
    outside_.on(issuer_.keysUrl(), body, status);
    EXPECT_EQ(codeOf(finish()), "UPSTREAM_FAILED");
  }
  outside_.on(issuer_.keysUrl(), R"({"keys":[]})");
  EXPECT_EQ(codeOf(finish()), "UNAUTHENTICATED");
  issuer_.publish();
  EXPECT_TRUE(finish());
}

TEST_F(OidcTest, WithoutANameTheOnlyKeyCounts) {
  issuer_.signAs("");
  EXPECT_TRUE(finish());
  const std::string first = issuer_.jwk();
  issuer_.rotate();
  issuer_.signAs("");
  outside_.on(issuer_.keysUrl(), R"({"keys":[)" + first + "," + issuer_.jwk() + "]}");
  clock_.advance(3600'000);
  EXPECT_EQ(codeOf(finish()), "UNAUTHENTICATED");
}

// ---- discovery

TEST_F(OidcTest, DiscoveryIsKeptAnHour) {
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(start());
  ASSERT_TRUE(finish());
  EXPECT_EQ(asked(issuer_.configurationUrl()), 1U);
  clock_.advance(3600'000 - 1);
  ASSERT_TRUE(start());
  EXPECT_EQ(asked(issuer_.configurationUrl()), 1U);
  clock_.advance(1);
  ASSERT_TRUE(start());
  EXPECT_EQ(asked(issuer_.configurationUrl()), 2U);
}

TEST_F(OidcTest, DocumentsThatDoNotFitAreRefused) {
  const std::string good = issuer_.metadata();
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string out = good;
    out.replace(out.find(from), from.size(), to);
    return out;
  };
  const std::pair<std::string, int> cases[] = {
      {with(R"("issuer":"https://login.example.org")", R"("issuer":"https://login.example.com")"), 200},
      {with(R"("issuer":"https://login.example.org")", R"("issuer":"https://login.example.org/")"), 200},
      {with(R"("issuer":)", R"("publisher":)"), 200},
      {with("authorization_endpoint", "other"), 200},
      {with("token_endpoint", "other"), 200},
      {with("jwks_uri", "other"), 200},
      {with("https://login.example.org/token", "http://login.example.org/token"), 200},
      {with("https://login.example.org/keys", "file:///etc/passwd"), 200},
      {with("https://login.example.org/auth", "javascript:alert(1)"), 200},
      {with("https://login.example.org/auth", "https://login.example.org/auth#x"), 200},
      {with("https://login.example.org/token", "https://user:word@login.example.org/token"), 200},
      {good, 404},
      {good + "x", 200},
      {"[]", 200},
      {"", 200}};
  for (const auto& [body, status] : cases) {
    issuer_.discover(body, status);
    EXPECT_EQ(codeOf(start()), "UPSTREAM_FAILED") << body << " " << status;
    clock_.advance(5'000);
  }
  issuer_.discover(good);
  EXPECT_TRUE(start());
}

TEST_F(OidcTest, AFailureIsRememberedForFiveSeconds) {
  issuer_.discover("", 503);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(codeOf(start()), "UPSTREAM_FAILED");
  EXPECT_EQ(asked(issuer_.configurationUrl()), 1U);
  issuer_.discover(issuer_.metadata());
  clock_.advance(4'999);
  EXPECT_FALSE(start());
  clock_.advance(1);
  EXPECT_TRUE(start());
}

// The operator's settings have more trust than a project's, even for the same address.
TEST_F(OidcTest, IssuersOfTheOperatorAreApart) {
  ASSERT_TRUE(start());
  client_.trust = outbound::Trust::deployment;
  ASSERT_TRUE(start());
  const auto seen = outside_.seen(issuer_.configurationUrl());
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].trust, outbound::Trust::guarded);
  EXPECT_EQ(seen[1].trust, outbound::Trust::deployment);
}

// ---- the issuer of a callback

TEST_F(OidcTest, ACallbackOfAnotherIssuerIsRefused) {
  EXPECT_TRUE(finish());
  EXPECT_TRUE(finish(std::string(kIssuer)));
  for (const char* other : {"https://login.example.com", "https://login.example.org/", "x"}) {
    EXPECT_EQ(codeOf(finish(other)), "UPSTREAM_FAILED") << other;
  }
  issuer_.discover(issuer_.metadata(R"(,"authorization_response_iss_parameter_supported":true)"));
  clock_.advance(3600'000);
  EXPECT_EQ(codeOf(finish()), "UPSTREAM_FAILED");
  EXPECT_TRUE(finish(std::string(kIssuer)));
}

TEST_F(OidcTest, UserinfoSaysWhatTheTokenDoesNot) {
  issuer_.discover(issuer_.metadata(R"(,"userinfo_endpoint":")" + issuer_.userinfoUrl() + "\""));
  issuer_.claims.email.clear();
  outside_.on(issuer_.userinfoUrl(),
              R"({"sub":"ann-1","email":"ann@example.com","email_verified":"true","name":"Ann"})");
  const auto who = finish();
  ASSERT_TRUE(who);
  EXPECT_EQ(who->email, "ann@example.com");
  EXPECT_TRUE(who->emailVerified);
  EXPECT_EQ(who->name, "Ann");
  EXPECT_EQ(headerOf(outside_.seen(issuer_.userinfoUrl())[0], "authorization"), "Bearer at-1");

  for (const char* other : {R"({"sub":"bob-1","email":"bob@example.com","email_verified":true})",
                            R"({"email":"bob@example.com","email_verified":true})", "[]", ""}) {
    outside_.on(issuer_.userinfoUrl(), other);
    EXPECT_EQ(codeOf(finish()), "UPSTREAM_FAILED") << other;
  }
}

TEST_F(OidcTest, AnAddressIsVerifiedOnlyWhereStated) {
  issuer_.discover(issuer_.metadata(R"(,"userinfo_endpoint":")" + issuer_.userinfoUrl() + "\""));
  issuer_.claims.email.clear();
  const std::pair<const char*, bool> cases[] = {{"true", true},        {R"("true")", true}, {"false", false},
                                                {R"("false")", false}, {"1", false},        {"null", false}};
  for (const auto& [text, verified] : cases) {
    outside_.on(issuer_.userinfoUrl(),
                std::string(R"({"sub":"ann-1","email":"ann@example.com","email_verified":)") + text + "}");
    const auto who = finish();
    ASSERT_TRUE(who) << text;
    EXPECT_EQ(who->emailVerified, verified) << text;
  }
}

}  // namespace
}  // namespace mb::identity
