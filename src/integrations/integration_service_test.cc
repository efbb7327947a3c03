#include "integrations/integration_service.h"

#include <gmock/gmock.h>

#include "integrations/integrations_fixture.h"
#include "store/configuration_limits.h"
#include "store/records.h"
#include "store/testing/writing.h"

namespace mb::integrations {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kApiIntegration =
    R"({"name":"api","provider":"http","config":{"baseUrl":"https://api.example.org/v1"},
    "secrets":{"authorization":"Bearer never-to-be-seen","headers":{"X-Key":"never-to-be-seen-2"}}})";

class IntegrationService : public IntegrationsFixture {
 protected:
  std::string stored() {
    std::string all;
    for (const store::CollectionNo each : {kIntegrations, audit::kAuditCollection}) {
      for (const doc::Document& document : memory_.all({shop_, each, 0})) all += document.bytes();
    }
    return all;
  }
  // Stores `record` instead of the integration of its name.
  void replaceStored(const IntegrationRecord& record) {
    store::WriteOptions options{.deadline = soon(), .actor = {}, .bumpEpochs = {shop_}};
    ASSERT_TRUE(run(
        store::testing::put(memory_, {shop_, kIntegrations, 0}, record.id, doc::encode(record), std::move(options))));
  }
  // The headers that a call then sends.
  std::string secretsSent() {
    EXPECT_THAT(called("api", "get", R"({"path":"/x"})"), HasSubstr("\"status\":200"));
    const outbound::Request request = outside_.request();
    return fmt::format("{}|{}|{}", header(request, "authorization"), header(request, "x-key"),
                       header(request, "x-two"));
  }
};

TEST_F(IntegrationService, Lives) {
  const auto made = create(kApiIntegration);
  ASSERT_TRUE(made) << made.error().message();
  const std::string shown = doc::toJson(doc::encode(*made));
  EXPECT_THAT(shown, HasSubstr(R"("name":"api","provider":"http","config":{"baseUrl":"https://api.example.org/v1"})"));
  EXPECT_THAT(shown, HasSubstr(R"("secrets":{"authorization":{"configured":true},"headers":{"configured":true,)"
                               R"("names":["x-key"]}},"enabled":true,"tests":[])"));
  EXPECT_EQ(view("api"), shown);
  EXPECT_EQ(integrations_.list(*snapshot(shop_)).size(), 1u);
  EXPECT_EQ(codeOf(create(kApiIntegration)), "CONFLICT");
  clock_.advance(1000);
  EXPECT_TRUE(change("api", R"({"config":{"baseUrl":"https://api.example.org/v2"},"enabled":false})"));
  EXPECT_THAT(view("api"), HasSubstr("/v2"));
  EXPECT_THAT(view("api"), HasSubstr("\"enabled\":false"));
  EXPECT_NE(view("api").substr(view("api").find("updatedAt")), shown.substr(shown.find("updatedAt")));
  EXPECT_TRUE(run(integrations_.remove(access(), "api")));
  EXPECT_EQ(view("api"), "no such integration");
  EXPECT_EQ(codeOf(run(integrations_.remove(access(), "api"))), "NOT_FOUND");
  EXPECT_EQ(codeOf(change("api", "{}")), "NOT_FOUND");
  EXPECT_THAT(auditActions(shop_), ElementsAre("integration.created", "integration.changed", "integration.deleted"));
}

TEST_F(IntegrationService, WhatIsNoneIsRefused) {
  struct Case {
    std::string_view body, paths;
  };
  for (
      const auto& [body, paths] : std::vector<Case>{
          {R"({"name":"A","provider":"http","config":{"baseUrl":"https://a.example"}})", "/name"},
          {R"({"name":"a","provider":"http","config":{"baseUrl":"https://a.example"}})", "/name"},
          {R"({"name":"providers","provider":"http","config":{"baseUrl":"https://a.example"}})", "/name"},
          {R"({"name":"no-provider","provider":"ftp"})", "/provider"},
          {R"({"name":"none","provider":"http"})", "/config/baseUrl"},
          {R"({"name":"more","provider":"http","config":{"baseUrl":"https://a.example","id":1}})", "/config/id"},
          {R"({"name":"kind","provider":"http","config":{"baseUrl":7}})", "/config/baseUrl"},
          {R"({"name":"url","provider":"http","config":{"baseUrl":"https://u:p@a.example"}})", "/config/baseUrl"},
          {R"({"name":"time","provider":"http","config":{"baseUrl":"https://a.example","timeoutMs":10001}})",
           "/config/timeoutMs"},
          {R"({"name":"head","provider":"http","config":{"baseUrl":"https://a.example","headers":{"Host":"x","a b":"1",
              "x":"\n","authorization":"y"}}})",
           "/config/headers/Host /config/headers/a b /config/headers/x /config/headers/authorization"},
          {R"({"name":"sec","provider":"http","config":{"baseUrl":"https://a.example"},"secrets":{"token":"x"}})",
           "/secrets/token"},
          {R"({"name":"sec","provider":"http","config":{"baseUrl":"https://a.example"},"secrets":{"authorization":1,
              "headers":{"a b":"x","Host":"x","authorization":"x","ok":"\u0001"}}})",
           "/secrets/authorization /secrets/headers/a b /secrets/headers/Host /secrets/headers/authorization "
           "/secrets/headers/ok"},
          {R"({"name":"sec","provider":"http","config":{"baseUrl":"https://a.example"},
              "secrets":{"authorization":" x"}})",
           "/secrets/authorization"},
          {R"({"name":"mail","provider":"email","config":{"from":"nobody","host":"a b"}})",
           "/config/from /config/host"},
          {R"({"name":"mail","provider":"email","config":{"from":"a@b.example","host":"smtp.example/x","port":25}})",
           "/config/host"},
          {R"({"name":"mail","provider":"email","config":{"from":"a@b.example","host":"h"},"secrets":{"username":"u"}})",
           "/secrets"},
          {R"({"name":"bot","provider":"bot","config":{"platform":"irc"}})", "/config/platform"},
          {R"({"name":"bot","provider":"bot","config":{"platform":"discord","defaultChannel":"general"}})",
           "/config/defaultChannel"},
          {R"({"name":"bot","provider":"bot","config":{"platform":"telegram"},"secrets":{"token":"a/../b"}})",
           "/secrets/token"},
          {R"({"name":"shape","provider":"http","config":{"baseUrl":"https://a.example","headers":{"clientSecret":"1"}}})",
           "/config"},
      }) {
    const auto made = create(body);
    EXPECT_EQ(codeOf(made), "VALIDATION") << body;
    EXPECT_EQ(pathsOf(made), paths) << body;
  }
  EXPECT_TRUE(integrations_.list(*snapshot(shop_)).empty());
}

TEST_F(IntegrationService, SecretsStayInside) {
  created(kApiIntegration);
  EXPECT_TRUE(change("api", R"({"secrets":{"headers":{"X-Two":"never-to-be-seen-3"}}})"));
  EXPECT_THAT(stored(), Not(HasSubstr("never-to-be-seen")));
  EXPECT_THAT(view("api"), Not(HasSubstr("never-to-be-seen")));
  EXPECT_THAT(exported(shop_), Not(HasSubstr("never-to-be-seen")));
  EXPECT_THAT(exported(shop_), Not(HasSubstr("secret")));
}

TEST_F(IntegrationService, AChangeKeepsSetsAndRemovesSecrets) {
  created(kApiIntegration);
  constexpr std::string_view kFirst = "Bearer never-to-be-seen|never-to-be-seen-2|";
  EXPECT_EQ(secretsSent(), kFirst);
  EXPECT_TRUE(change("api", R"({"config":{"baseUrl":"https://api.example.org/v2"}})"));
  EXPECT_EQ(secretsSent(), kFirst);
  EXPECT_TRUE(change("api", R"({"secrets":{}})"));
  EXPECT_TRUE(change("api", R"({"secrets":{"authorization":"","headers":{"x-key":""}}})"));
  EXPECT_EQ(secretsSent(), kFirst);
  EXPECT_TRUE(change("api", R"({"secrets":{"headers":{"X-Two":"2"}}})"));
  EXPECT_EQ(secretsSent(), std::string(kFirst) + "2");
  EXPECT_TRUE(change("api", R"({"secrets":{"authorization":"Basic x","headers":{"X-KEY":null}}})"));
  EXPECT_EQ(secretsSent(), "Basic x||2");
  EXPECT_TRUE(change("api", R"({"secrets":{"authorization":null}})"));
  EXPECT_EQ(secretsSent(), "||2");
  EXPECT_TRUE(change("api", R"({"secrets":{"headers":null}})"));
  EXPECT_EQ(secretsSent(), "||");
  EXPECT_THAT(view("api"), HasSubstr(R"("headers":{"configured":false,"names":[]})"));
}

TEST_F(IntegrationService, NoSecretGoesWhereItWasNotEnteredFor) {
  created(kApiIntegration);
  for (const char* elsewhere : {"https://evil.example", "http://api.example.org", "https://api.example.org:8443",
                                "https://api.example.org.evil.example"}) {
    const std::string config = fmt::format(R"("config":{{"baseUrl":"{}"}})", elsewhere);
    for (const char* secrets : {"", R"(,"secrets":{"authorization":"","headers":{"x-key":""}})"}) {
      const auto moved = change("api", fmt::format("{{{}{}}}", config, secrets));
      EXPECT_EQ(codeOf(moved), "VALIDATION") << elsewhere;
      EXPECT_EQ(pathsOf(moved), "/secrets/authorization /secrets/headers/x-key");
    }
    const auto half = change("api", fmt::format(R"({{{},"secrets":{{"authorization":"Bearer new"}}}})", config));
    EXPECT_EQ(pathsOf(half), "/secrets/headers/x-key");
  }
  EXPECT_EQ(secretsSent(), "Bearer never-to-be-seen|never-to-be-seen-2|");
  EXPECT_TRUE(change("api", R"({"config":{"baseUrl":"https://other.example"},)"
                            R"("secrets":{"authorization":"Basic x","headers":null}})"));
  EXPECT_EQ(secretsSent(), "Basic x||");
  EXPECT_TRUE(change("api", R"({"secrets":{"authorization":null}})"));
  EXPECT_TRUE(change("api", R"({"config":{"baseUrl":"https://third.example"}})")) << "it has no secrets";
  created(R"({"name":"mail","provider":"email","config":{"from":"a@b.example","host":"mx.example"},)"
          R"("secrets":{"username":"u","password":"p"}})");
  EXPECT_EQ(pathsOf(change("mail", R"({"config":{"from":"a@b.example","host":"mx.evil"}})")),
            "/secrets/password /secrets/username");
  EXPECT_EQ(pathsOf(change("mail", R"({"config":{"from":"a@b.example","host":"mx.example","port":2525}})")),
            "/secrets/password /secrets/username");
  EXPECT_TRUE(change("mail", R"({"config":{"from":"c@b.example","host":"mx.example"}})"));
  created(R"({"name":"bot","provider":"bot","config":{"platform":"slack"},"secrets":{"token":"t"}})");
  EXPECT_EQ(pathsOf(change("bot", R"({"config":{"platform":"telegram"}})")), "/secrets/token");
}

TEST_F(IntegrationService, WhatCannotBeOpenedIsEnteredAnew) {
  created(kApiIntegration);
  doc::Document record = memory_.all({shop_, kIntegrations, 0}).front();
  auto broken = *store::fromStore<IntegrationRecord>(record.view());
  broken.secrets = toBase64("not sealed");
  replaceStored(broken);
  EXPECT_THAT(called("api", "get", R"({"path":"/"})"), HasSubstr("INTERNAL"));
  EXPECT_TRUE(change("api", R"({"secrets":{"authorization":"Basic x"}})"));
  EXPECT_EQ(secretsSent(), "Basic x||");
}

TEST_F(IntegrationService, CallsOfFunctions) {
  created(kApiIntegration);
  EXPECT_EQ(called("other", "get"), "NOT_FOUND: no such integration");
  EXPECT_EQ(called("api", "steal"), "VALIDATION: /op is not an operation of this provider");
  EXPECT_THAT(called("api", "get"), HasSubstr("VALIDATION: /args/path"));
  EXPECT_THAT(called("api", "get", R"({"path":"/","id":1})"), HasSubstr("VALIDATION: /args/id"));
  EXPECT_TRUE(run(integrations_.check(snapshot(shop_), "api", "get", json(R"({"path":"/"})"))));
  EXPECT_EQ(codeOf(run(integrations_.check(snapshot(shop_), "api", "get", {}))), "VALIDATION");
  EXPECT_EQ(outside_.count(), 0u);
  EXPECT_TRUE(change("api", R"({"enabled":false})"));
  EXPECT_EQ(called("api", "get", R"({"path":"/"})"), "NOT_FOUND: the integration is not enabled");
  EXPECT_EQ(codeOf(run(integrations_.check(snapshot(shop_), "api", "get", json(R"({"path":"/"})")))), "NOT_FOUND");
}

TEST_F(IntegrationService, CallsEndWithTheirRunOrAfterTenSeconds) {
  created(kApiIntegration);
  const auto timeout = [&](store::Deadline deadline) {
    EXPECT_TRUE(
        run(integrations_.call(snapshot(shop_), "api", "get", json(R"({"path":"/"})"), {.deadline = deadline})));
    return outside_.request().timeout;
  };
  const auto now = std::chrono::steady_clock::now();
  EXPECT_EQ(timeout(now + std::chrono::seconds(60)), kMaxCallTime);
  EXPECT_LE(timeout(now + std::chrono::seconds(3)), std::chrono::seconds(3));
  EXPECT_TRUE(change("api", R"({"config":{"baseUrl":"https://api.example.org","timeoutMs":200}})"));
  EXPECT_EQ(timeout(now + std::chrono::seconds(60)), std::chrono::milliseconds(200));
  EXPECT_EQ(codeOf(run(integrations_.call(snapshot(shop_), "api", "get", json(R"({"path":"/"})"), {.deadline = now}))),
            "UPSTREAM_FAILED");
  std::stop_source run1;
  EXPECT_TRUE(run(integrations_.call(snapshot(shop_), "api", "get", json(R"({"path":"/"})"),
                                     {.deadline = now + std::chrono::seconds(60), .aborted = run1.get_token()})));
  EXPECT_FALSE(outside_.request().aborted.stop_requested());
  run1.request_stop();
  EXPECT_TRUE(outside_.request().aborted.stop_requested());
}

TEST_F(IntegrationService, FailuresHoldNoSecret) {
  created(kApiIntegration);
  outside_.refuse(Error(ErrorCode::upstreamFailed, "request failed").withCause("sent Bearer never-to-be-seen"));
  const auto failed =
      run(integrations_.call(snapshot(shop_), "api", "get", json(R"({"path":"/"})"), {.deadline = soon()}));
  EXPECT_EQ(said(failed.error()), "UPSTREAM_FAILED: request failed");
  EXPECT_EQ(failed.error().cause(), "");
  outside_.refuse(Error(ErrorCode::upstreamTimeout, "request timed out"));
  EXPECT_EQ(called("api", "get", R"({"path":"/"})"), "UPSTREAM_FAILED: request timed out");
}

TEST_F(IntegrationService, TryingOne) {
  created(kApiIntegration);
  EXPECT_TRUE(change("api", R"({"enabled":false})"));
  const auto tried = [&](std::string_view body) {
    const auto result = run(integrations_.tryCall(access(), "api", decoded<TryBody>(body)));
    return result ? doc::toJson(doc::encode(*result)) : said(result.error());
  };
  EXPECT_EQ(tried(R"({"op":"get","args":{"path":"/"}})"), R"({"result":null,"mode":"dry"})");
  EXPECT_EQ(tried(R"({"op":"get","args":{"path":"/"},"mode":"dry","stub":{"status":201}})"),
            R"({"result":{"status":201},"mode":"dry"})");
  EXPECT_THAT(tried(R"({"op":"get","args":{"path":"//x"},"mode":"dry"})"), HasSubstr("VALIDATION: /args/path"));
  EXPECT_THAT(tried(R"({"op":"get","args":{"path":"/"},"mode":"wet"})"), HasSubstr("VALIDATION: /mode"));
  EXPECT_THAT(tried(R"({"op":"get","args":{"path":"/"},"mode":"live","stub":1})"), HasSubstr("VALIDATION: /stub"));
  EXPECT_EQ(outside_.count(), 0u);
  outside_.answerJson(404, R"({"a":1})");
  EXPECT_EQ(tried(R"({"op":"get","args":{"path":"/"},"mode":"live"})"),
            R"({"result":{"status":404,"headers":{"content-type":"application/json"},"body":{"a":1}},"mode":"live"})");
  outside_.refuse(Error(ErrorCode::upstreamFailed, "request failed"));
  EXPECT_EQ(tried(R"({"op":"get","args":{"path":"/"},"mode":"live"})"), "UPSTREAM_FAILED: request failed");
}

TEST_F(IntegrationService, StoredTests) {
  created(kApiIntegration);
  const auto save = [&](std::string_view tests) {
    return run(integrations_.saveTests(access(), "api", decoded<StoredTests>(tests)));
  };
  EXPECT_EQ(pathsOf(save(R"({"tests":[{"name":"","op":"get","expect":1},{"name":"a","op":"x","expect":1},
                                      {"name":"a","op":"get","expect":1,"stub":{"clientSecret":1}}]})")),
            "/tests/0/name /tests/1/op /tests/2/name /tests/2");
  EXPECT_TRUE(save(R"({"tests":[
      {"name":"stubbed","op":"get","args":{"path":"/"},"stub":{"status":200,"body":{"a":1,"b":2}},
       "expect":{"body":{"a":1}}},
      {"name":"null stub","op":"get","args":{"path":"/"},"stub":null,"expect":{"result":null}},
      {"name":"live","op":"get","args":{"path":"/"},"expect":{"status":201}},
      {"name":"refused","op":"get","args":{"path":"//"},"stub":1,"expect":{"error":"VALIDATION"}},
      {"name":"not refused","op":"get","args":{"path":"/"},"stub":1,"expect":{"error":"VALIDATION"}}]})"));
  const auto outcome = run(integrations_.runTests(access(), "api"));
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->passed, 3);
  EXPECT_EQ(outcome->failed, 2);
  std::vector<std::string> told;
  for (const TestOutcome& each : outcome->results) {
    told.push_back(fmt::format("{} {} {}", each.name, each.mode, fmt::join(each.failures, ";")));
  }
  EXPECT_THAT(told, ElementsAre("stubbed dry ", "null stub dry ", "live live result.status is 200, not 201",
                                "refused dry ", "not refused dry error: expected VALIDATION, got none"));
  EXPECT_EQ(outside_.count(), 1u);
}

TEST_F(IntegrationService, AsManyAsThereMayBe) {
  for (size_t i = 0; i < store::kMaxIntegrations; ++i) {
    created(fmt::format(R"({{"name":"i-{}","provider":"bot","config":{{"platform":"slack"}}}})", i));
  }
  EXPECT_EQ(codeOf(create(kApiIntegration)), "CONFLICT");
  EXPECT_EQ(integrations_.list(*snapshot(shop_)).size(), store::kMaxIntegrations);
}

TEST_F(IntegrationService, HeadersAreCountedAsTheyAreHeld) {
  created(kApiIntegration);  // one of its secrets is set
  for (size_t i = 1; i < store::kMaxConfiguredHeaders; ++i) {
    ASSERT_TRUE(change("api", fmt::format(R"({{"secrets":{{"headers":{{"x-h{}":"v"}}}}}})", i))) << i;
  }
  const std::string full = view("api");
  EXPECT_EQ(codeOf(change("api", R"({"secrets":{"headers":{"x-more":"v"}}})")), "CONFLICT");
  EXPECT_EQ(codeOf(change("api", R"({"enabled":false,"secrets":{"headers":{"x-h1":"w","x-more":"v"}}})")), "CONFLICT");
  EXPECT_EQ(view("api"), full);
  EXPECT_TRUE(change("api", R"({"secrets":{"headers":{"x-h1":"another"}}})"));
  EXPECT_TRUE(change("api", R"({"secrets":{"headers":{"x-h1":null,"x-more":"v"}}})"));
  EXPECT_TRUE(change("api", R"({"secrets":{"authorization":"Bearer other"}})"));
  EXPECT_EQ(codeOf(change("api", R"({"secrets":{"headers":{"x-h1":"v"}}})")), "CONFLICT");
}

TEST_F(IntegrationService, HeadersOfTheConfigCountWithTheSecretOnes) {
  created(kApiIntegration);
  const auto config = [](size_t headers) {
    std::string fields;
    for (size_t i = 0; i < headers; ++i) fields += fmt::format(R"({}"y-{}":"v")", i == 0 ? "" : ",", i);
    return fmt::format(R"({{"config":{{"baseUrl":"https://api.example.com/v1","headers":{{{}}}}},)", fields) +
           R"("secrets":{"authorization":"Bearer x","headers":{"x-key":"v"}}})";
  };
  EXPECT_TRUE(change("api", config(store::kMaxConfiguredHeaders - 1)));
  EXPECT_EQ(codeOf(change("api", config(store::kMaxConfiguredHeaders))), "CONFLICT");
  EXPECT_EQ(codeOf(change("api", R"({"secrets":{"headers":{"x-more":"v"}}})")), "CONFLICT");
  EXPECT_TRUE(change("api", R"({"secrets":{"headers":{"x-key":null,"x-more":"v"}}})"));
}

// A state that older versions allowed.
TEST_F(IntegrationService, TooManyHeadersThatAreHeldCanBeMadeFewer) {
  created(kApiIntegration);
  auto record = *store::fromStore<IntegrationRecord>(memory_.all({shop_, kIntegrations, 0}).front().view());
  Secrets secrets;
  for (size_t i = 0; i < store::kMaxConfiguredHeaders + 3; ++i)
    secrets.set(fmt::format("headers/x-h{}", i), Secret("v"));
  SecretBox(master_).put(snapshot(shop_)->info().id.str(), secrets, record);
  replaceStored(record);
  EXPECT_TRUE(change("api", R"({"enabled":true})"));
  EXPECT_EQ(codeOf(change("api", R"({"secrets":{"headers":{"x-more":"v"}}})")), "CONFLICT");
  EXPECT_TRUE(change("api", R"({"secrets":{"headers":{"x-h0":null}}})"));
  EXPECT_TRUE(change("api", R"({"secrets":{"headers":null}})"));
  EXPECT_TRUE(change("api", R"({"secrets":{"headers":{"x-more":"v"}}})"));
}

TEST_F(IntegrationService, ACopyOfARestoredProjectReachesNobody) {
  created(kApiIntegration);
  const doc::Document record = memory_.all({shop_, kIntegrations, 0}).front();
  const auto restored = store::fromStore<IntegrationRecord>(asRestored(record).view());
  ASSERT_TRUE(restored);
  EXPECT_FALSE(restored->enabled);
  EXPECT_FALSE(restored->secrets.empty());
}

TEST_F(IntegrationService, TheSealedValueIsOfOneProjectAndOneIntegration) {
  created(kApiIntegration);
  const doc::Document record = memory_.all({shop_, kIntegrations, 0}).front();
  const store::SealedField field = sealedFields().front();
  const std::string project = snapshot(shop_)->info().id.str();
  const std::string sealed = *fromBase64(record.view().stringOr(field.field));
  EXPECT_TRUE(master_.unseal(sealed, field.context(project, record)));
  EXPECT_FALSE(master_.unseal(sealed, field.context("proj_other", record)));
}

}  // namespace
}  // namespace mb::integrations
