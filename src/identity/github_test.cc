#include "identity/github.h"

#include "identity/identity_fixture.h"
#include "identity/provider_fixture.h"

namespace mb::identity {
namespace {

class GithubTest : public IdentityFixture {
 protected:
  GithubTest() {
    client_.provider = "github";
    client_.clientId = "client-1";
    client_.clientSecret = Secret("s&cret");
    client_.project = "proj_shop";
    answers("https://github.com", "https://api.github.com");
  }
  void answers(const std::string& address, const std::string& api) {
    token_ = address + "/login/oauth/access_token";
    user_ = api + "/user";
    emails_ = api + "/user/emails";
    outside_.on(token_, R"({"access_token":"at-1","token_type":"bearer"})");
    outside_.on(user_, R"({"id":4711,"login":"ann","name":"Ann Other","email":"public@example.com"})");
    outside_.on(emails_, kEmails);
  }
  Result<ExternalIdentity> finish() { return run(githubFinish(outside_, client_, flow_, "code-1")); }

  static constexpr const char* kEmails =
      R"([{"email":"old@example.com","primary":false,"verified":true},
          {"email":"ann@example.com","primary":true,"verified":true},
          {"email":"new@example.com","primary":false,"verified":true}])";
  ScriptedOutbound outside_;
  ProviderClient client_;
  const OauthFlow flow_{"https://api.example.com/cb", "the-state", "the-verifier", ""};
  std::string token_, user_, emails_;
};

TEST_F(GithubTest, TheBrowserGoesThere) {
  const std::string url = githubStart(client_, flow_);
  EXPECT_TRUE(url.starts_with("https://github.com/login/oauth/authorize?")) << url;
  EXPECT_EQ(fieldOf(url, "client_id"), "client-1");
  EXPECT_EQ(fieldOf(url, "state"), "the-state");
  EXPECT_EQ(fieldOf(url, "scope"), "read%3Auser%20user%3Aemail");
  EXPECT_EQ(fieldOf(url, "code_challenge"), challengeOf("the-verifier"));
}

TEST_F(GithubTest, TheIdentityIsTheUserNumberAndPrimaryAddress) {
  const auto who = finish();
  ASSERT_TRUE(who) << who.error().cause();
  EXPECT_EQ(who->issuer, "https://github.com");
  EXPECT_EQ(who->subject, "4711");
  EXPECT_EQ(who->name, "Ann Other");
  EXPECT_EQ(who->email, "ann@example.com");
  EXPECT_TRUE(who->emailVerified);
  const auto traded = outside_.seen(token_);
  ASSERT_EQ(traded.size(), 1U);
  EXPECT_EQ(fieldOf(traded[0].body, "code"), "code-1");
  EXPECT_EQ(fieldOf(traded[0].body, "client_secret"), "s%26cret");
  EXPECT_EQ(fieldOf(traded[0].body, "code_verifier"), "the-verifier");
  for (const std::string& url : {user_, emails_}) {
    EXPECT_EQ(headerOf(outside_.seen(url)[0], "authorization"), "Bearer at-1");
  }
}

TEST_F(GithubTest, ItsAddressMayBeTheOperators) {
  client_.issuer = "http://github.internal:8080";
  client_.trust = outbound::Trust::deployment;
  answers(client_.issuer, client_.issuer + "/api/v3");
  const auto who = finish();
  ASSERT_TRUE(who) << who.error().cause();
  EXPECT_EQ(who->issuer, "http://github.internal:8080");
  EXPECT_EQ(outside_.calls(), 3U);
  EXPECT_EQ(outside_.seen(user_)[0].trust, outbound::Trust::deployment);
}

TEST_F(GithubTest, NoTokenIsNoSignIn) {
  for (const std::string& body :
       {std::string(R"({"error":"bad_verification_code"})"), std::string("{}"), std::string(R"({"access_token":""})"),
        std::string(R"({"access_token":7})"), R"({"access_token":")" + std::string(9 << 10, 'a') + "\"}"}) {
    outside_.on(token_, body);
    EXPECT_EQ(codeOf(finish()), "UNAUTHENTICATED") << body.substr(0, 80);
  }
  EXPECT_TRUE(outside_.seen(user_).empty());
}

TEST_F(GithubTest, AUserIsANumber) {
  for (const char* body : {"{}", R"({"id":0})", R"({"id":-4711})", R"({"id":"4711"})", R"({"id":null})",
                           R"({"id":47.5})", R"({"id":1e300})", "[]"}) {
    outside_.on(user_, body);
    EXPECT_EQ(codeOf(finish()), "UNAUTHENTICATED") << body;
  }
}

TEST_F(GithubTest, FailedResponsesAreNotASignIn) {
  for (const std::string& url : {token_, user_, emails_}) {
    answers("https://github.com", "https://api.github.com");
    const std::pair<const char*, int> cases[] = {{"", 200}, {"<html>", 200}, {"{}", 500}, {"{}", 404}, {"{}", 302}};
    for (const auto& [body, status] : cases) {
      outside_.on(url, body, status);
      EXPECT_EQ(codeOf(finish()), "UPSTREAM_FAILED") << url << " " << body << " " << status;
    }
  }
}

TEST_F(GithubTest, OnlyAPrimaryAddressMarkedVerifiedCounts) {
  const std::pair<const char*, const char*> cases[] = {
      {"[]", ""},
      {"{}", ""},
      {R"({"message":"Not Found"})", ""},
      {R"(["ann@example.com",7,null,[]])", ""},
      {R"([{"email":"ann@example.com","primary":true,"verified":false}])", ""},
      {R"([{"email":"ann@example.com","primary":true}])", ""},
      {R"([{"email":"ann@example.com","primary":true,"verified":"true"}])", ""},
      {R"([{"email":"ann@example.com","verified":true}])", ""},
      {R"([{"email":"ann@example.com","primary":false,"verified":true}])", ""},
      {R"([{"email":["ann@example.com"],"primary":true,"verified":true}])", ""},
      {R"([{"email":"ann@example.com","primary":true,"verified":true}])", "ann@example.com"}};
  for (const auto& [body, verified] : cases) {
    outside_.on(emails_, body);
    const auto who = finish();
    ASSERT_TRUE(who) << body;
    EXPECT_EQ(who->emailVerified ? who->email : "", verified) << body;
  }
}

}  // namespace
}  // namespace mb::identity
