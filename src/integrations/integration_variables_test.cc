// Variables in integrations: at save, at a call, in an import.
#include <gmock/gmock.h>

#include "integrations/integrations_fixture.h"
#include "store/records.h"

namespace mb::integrations {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kStock =
    R"({"name":"api","provider":"http","config":{"baseUrl":"${BASE}/v1","headers":{"x-stage":"${STAGE}"}},)"
    R"("secrets":{"authorization":"Bearer ${TOKEN}"}})";

class IntegrationVariables : public IntegrationsFixture {
 protected:
  std::string get() { return called("api", "get", R"({"path":"/x"})"); }
  Access accessWith(std::vector<std::string> permissions) {
    return {callerWith(std::move(permissions)), snapshot(shop_), soon()};
  }
  static std::string document(std::string_view entries) {
    return fmt::format(R"({{"formatVersion":1,"integrations":[{}]}})", entries);
  }
};

TEST_F(IntegrationVariables, ACallUsesTheirValuesAsTheyAreThen) {
  created(kStock);
  EXPECT_EQ(get(), "CONFLICT: the variable TOKEN has no value: set it");
  ASSERT_TRUE(setSecret("TOKEN", "marked-1"));
  EXPECT_THAT(get(), HasSubstr("CONFLICT: the variable "));
  ASSERT_TRUE(setPlain("BASE", "https://a.example"));
  ASSERT_TRUE(setPlain("STAGE", "test"));
  EXPECT_THAT(get(), HasSubstr(R"("status":200)"));
  EXPECT_EQ(outside_.request().url, "https://a.example/v1/x");
  EXPECT_EQ(header(outside_.request(), "authorization"), "Bearer marked-1");
  EXPECT_EQ(header(outside_.request(), "x-stage"), "test");
  ASSERT_TRUE(setSecret("TOKEN", "marked-2"));
  ASSERT_TRUE(setVariable("BASE", {"https://b.example/base", {}, true}));
  EXPECT_THAT(get(), HasSubstr(R"("status":200)"));
  EXPECT_EQ(outside_.request().url, "https://b.example/base/v1/x");
  EXPECT_EQ(header(outside_.request(), "authorization"), "Bearer marked-2");
  EXPECT_THAT(view("api"), HasSubstr(R"("baseUrl":"${BASE}/v1")"));
  EXPECT_THAT(exported(shop_), Not(HasSubstr("marked")));
  for (const doc::Document& entry : memory_.all({shop_, audit::kAuditCollection, 0})) {
    EXPECT_THAT(doc::toJson(entry), Not(HasSubstr(".example")));
  }
}

TEST_F(IntegrationVariables, FailuresHoldNoValue) {
  created(kStock);
  ASSERT_TRUE(setSecret("TOKEN", "marked-1"));
  ASSERT_TRUE(setPlain("BASE", "https://marked.example:8443"));
  ASSERT_TRUE(setPlain("STAGE", "test"));
  outside_.refuse(Error(ErrorCode::upstreamFailed, "request failed").withCause("no route to marked.example"));
  const auto failed =
      run(integrations_.call(snapshot(shop_), "api", "get", json(R"({"path":"/"})"), {.deadline = soon()}));
  EXPECT_EQ(said(failed.error()), "UPSTREAM_FAILED: request failed");
  EXPECT_EQ(failed.error().cause(), "");
}

TEST_F(IntegrationVariables, NumbersAndChoicesMayBeVariables) {
  created(R"({"name":"mail","provider":"email","config":{"from":"a@b.example","host":"${HOST}","port":"${PORT}",)"
          R"("secure":"${SECURE}"}})");
  ASSERT_TRUE(setPlain("HOST", "smtp.example"));
  ASSERT_TRUE(setPlain("PORT", "2525"));
  ASSERT_TRUE(setPlain("SECURE", "true"));
  EXPECT_THAT(called("mail", "send", R"({"to":"c@d.example","subject":"s","text":"t"})"), HasSubstr("messageId"));
  EXPECT_EQ(outside_.mail().server.host, "smtp.example");
  EXPECT_EQ(outside_.mail().server.port, 2525);
  EXPECT_EQ(outside_.mail().server.tls, outbound::SmtpServer::Tls::implicit);
  EXPECT_THAT(details(setVariable("PORT", {"many", {}, {}})),
              HasSubstr("/value does not fit integrations/mail/config/port: "));
  EXPECT_THAT(details(setVariable("PORT", {"70000", {}, {}})), HasSubstr("integrations/mail/config/port: "));
  EXPECT_THAT(details(setVariable("HOST", {"smtp.example/x", {}, {}})), HasSubstr("integrations/mail/config/host: "));
  created(R"({"name":"bot","provider":"bot","config":{"platform":"${PLATFORM}","defaultChannel":"${CHANNEL}"},)"
          R"("secrets":{"token":"${BOT}"}})");
  EXPECT_THAT(details(setVariable("PLATFORM", {"irc", {}, {}})), HasSubstr("integrations/bot/config/platform: "));
  ASSERT_TRUE(setSecret("BOT", "t0ken"));
  EXPECT_THAT(details(setVariable("BOT", {"a/../b", {}, {}})), HasSubstr("integrations/bot/secrets/token: "));
}

TEST_F(IntegrationVariables, ValuesAreCheckedAtSaveWhereTheyAreKnown) {
  ASSERT_TRUE(setPlain("BASE", "ftp://a.example"));
  ASSERT_TRUE(setPlain("LINES", "a\r\nb: c"));
  ASSERT_TRUE(setSecret("TOKEN", "x\ny"));
  ASSERT_TRUE(setPlain("HOST", "a.example"));
  const auto problem = [&](std::string_view config, std::string_view secrets = "{}") {
    return details(
        create(fmt::format(R"({{"name":"api","provider":"http","config":{},"secrets":{}}})", config, secrets)));
  };
  EXPECT_THAT(problem(R"({"baseUrl":"${BASE}"})"), HasSubstr("/config/baseUrl must"));
  EXPECT_THAT(problem(R"({"baseUrl":"https://${HOST}","headers":{"x-a":"${LINES}"}})"),
              HasSubstr("/config/headers/x-a must"));
  EXPECT_THAT(problem(R"({"baseUrl":"https://${HOST}"})", R"({"authorization":"Bearer ${TOKEN}"})"),
              HasSubstr("/secrets/authorization must not hold control characters"));
  EXPECT_THAT(problem(R"({"baseUrl":"https://${HOST}"})", R"({"headers":{"x-a":"${LINES}"}})"),
              HasSubstr("/secrets/headers/x-a must not hold control characters"));
  for (const char* config :
       {R"({"baseUrl":"${TOKEN}"})", R"({"baseUrl":"https://a.example","headers":{"x":"${TOKEN}"}})"}) {
    EXPECT_THAT(problem(config), HasSubstr("names the secret variable TOKEN")) << config;
  }
  EXPECT_THAT(problem(R"({"baseUrl":"https://a.example","headers":"${HOST}"})"), HasSubstr("/config/headers"));
  EXPECT_EQ(problem(R"({"baseUrl":"https://${HOST}"})", R"({"authorization":"Bearer ${HOST}"})"), "");
  EXPECT_THAT(details(setVariable("HOST", {"a\nb", {}, {}})), HasSubstr("integrations/api/config/baseUrl"));
}

TEST_F(IntegrationVariables, ASecretOneIsSentByThoseWhoManageVariablesOnly) {
  ASSERT_TRUE(setSecret("TOKEN", "marked"));
  ASSERT_TRUE(setPlain("PLAIN", "x"));
  const std::vector<std::string> less{"integrations:manage"};
  const auto create = [&](std::vector<std::string> permissions, std::string_view authorization) {
    const std::string body = fmt::format(
        R"({{"name":"api","provider":"http","config":{{"baseUrl":"https://a.example"}},"secrets":{{"authorization":"{}"}}}})",
        authorization);
    return codeOf(run(integrations_.create(accessWith(std::move(permissions)), decoded<NewIntegration>(body))));
  };
  EXPECT_EQ(create(less, "Bearer ${TOKEN}"), "FORBIDDEN");
  EXPECT_EQ(create(less, "Bearer ${UNKNOWN}"), "FORBIDDEN") << "it may become secret later";
  EXPECT_EQ(create(less, "Bearer ${PLAIN}"), "");
  const auto change = [&](std::vector<std::string> permissions, std::string_view body) {
    return codeOf(
        run(integrations_.change(accessWith(std::move(permissions)), "api", decoded<IntegrationPatch>(body))));
  };
  EXPECT_EQ(change(less, R"({"secrets":{"authorization":"${TOKEN}"}})"), "FORBIDDEN");
  EXPECT_EQ(change({"integrations:manage", "variables:manage"}, R"({"secrets":{"authorization":"${TOKEN}"}})"), "");
  EXPECT_EQ(change(less, R"({"enabled":false})"), "");
  EXPECT_EQ(change(less, R"({"config":{"baseUrl":"https://b.example"}})"), "VALIDATION");
}

TEST_F(IntegrationVariables, AValueThatMovesSecretsIsConfirmedByOneWhoMayAll) {
  ASSERT_TRUE(setPlain("BASE", "https://a.example"));
  created(R"({"name":"api","provider":"http","config":{"baseUrl":"${BASE}"},"secrets":{"authorization":"x"}})");
  const auto less = callerWith({"variables:manage"});
  EXPECT_EQ(pathsOf(setVariable("BASE", {"https://b.example", {}, {}})), "/moveSecrets");
  EXPECT_EQ(pathsOf(setVariable("BASE", {"https://b.example", {}, {}}, less)), "/moveSecrets");
  EXPECT_EQ(codeOf(setVariable("BASE", {"https://b.example", {}, true}, less)), "FORBIDDEN");
  EXPECT_TRUE(setVariable("BASE", {"https://a.example", {}, {}}, less)) << "nothing moves";
  EXPECT_THAT(get(), HasSubstr("200"));
  EXPECT_EQ(outside_.request().url, "https://a.example/x");
  EXPECT_TRUE(setVariable("BASE", {"https://b.example", {}, true}));
  EXPECT_THAT(doc::toJson(memory_.all({shop_, audit::kAuditCollection, 0}).back()), HasSubstr(R"("moveSecrets":true)"));
  // Without secrets nothing moves.
  EXPECT_TRUE(change("api", R"({"secrets":{"authorization":null}})"));
  EXPECT_TRUE(setVariable("BASE", {"https://c.example", {}, {}}, less));
  // A variable in the path does not decide where it is sent.
  created(
      R"({"name":"two","provider":"http","config":{"baseUrl":"https://a.example/${P}"},"secrets":{"authorization":"x"}})");
  ASSERT_TRUE(setPlain("P", "one"));
  EXPECT_TRUE(setVariable("P", {"two", {}, {}}, less));
}

TEST_F(IntegrationVariables, AConfigThatNamesAVariableLeadsElsewhere) {
  ASSERT_TRUE(setPlain("BASE", "https://a.example"));
  created(
      R"({"name":"api","provider":"http","config":{"baseUrl":"https://a.example"},"secrets":{"authorization":"x"}})");
  for (const char* baseUrl : {"${BASE}", "${BASE}/v1", "https://${HOST}", "${BASE}@b.example"}) {
    const auto moved = change("api", fmt::format(R"({{"config":{{"baseUrl":"{}"}}}})", baseUrl));
    EXPECT_EQ(codeOf(moved), "VALIDATION") << baseUrl;
  }
  EXPECT_TRUE(change("api", R"({"config":{"baseUrl":"https://a.example/${P}"}})"));
  EXPECT_TRUE(change("api", R"({"config":{"baseUrl":"${BASE}/v1"},"secrets":{"authorization":"y"}})"));
  EXPECT_TRUE(change("api", R"({"config":{"baseUrl":"${BASE}/v2"}})"));
}

TEST_F(IntegrationVariables, AnImportFollowsAVariableOfTheTarget) {
  created(
      R"({"name":"api","provider":"http","config":{"baseUrl":"https://a.example"},"secrets":{"authorization":"x"}})");
  const std::string follows = document(R"({"name":"api","provider":"http","config":{"baseUrl":"${BASE}/v1"}})");
  projects::ImportMode mode;
  mode.allowMissing = true;
  EXPECT_THAT(details(run(configuration_->plan(target(shop_), json(follows), mode))),
              HasSubstr("/integrations/0/config would send the project's secrets"));
  ASSERT_TRUE(setPlain("BASE", "https://b.example"));
  EXPECT_THAT(
      details(plan(shop_, document(R"({"name":"api","provider":"http","config":{"baseUrl":"https://${BASE}"}})"))),
      HasSubstr("/integrations/0/config"));
  EXPECT_EQ(codeOf(import(shop_, follows, callerWith({"config:manage", "integrations:manage", "variables:manage"}))),
            "FORBIDDEN");
  EXPECT_EQ(summary(import(shop_, follows)), "0 1 0");
  EXPECT_THAT(get(), HasSubstr("200"));
  EXPECT_EQ(outside_.request().url, "https://b.example/v1/x");
  EXPECT_EQ(header(outside_.request(), "authorization"), "x");
}

TEST_F(IntegrationVariables, AnImportListsNamesWithoutAValue) {
  const std::string entry =
      R"({"name":"api","provider":"http","config":{"baseUrl":"${BASE}","headers":{"x-a":"${A}${B}"}}})";
  const std::string all = details(plan(shop_, document(entry)));
  EXPECT_THAT(all, HasSubstr("/integrations/0/config/baseUrl names the variable BASE, which has no value"));
  EXPECT_THAT(all, HasSubstr("/integrations/0/config/headers/x-a names the variables A, B, which have no value"));
  EXPECT_EQ(view("api"), "no such integration");
  ASSERT_TRUE(setSecret("BASE", "x"));
  EXPECT_THAT(details(plan(shop_, document(entry))), HasSubstr("/integrations/0/config/baseUrl names the secret"));
}

TEST_F(IntegrationVariables, AUsedOneIsNotDeleted) {
  created(kStock);
  ASSERT_TRUE(setSecret("TOKEN", "x"));
  const auto removed = run(variables_.remove({admin(), snapshot(shop_), soon()}, "TOKEN"));
  EXPECT_EQ(said(removed.error()), "CONFLICT: the variable is used by integrations/api/secrets: change that first");
  EXPECT_TRUE(change("api", R"({"secrets":{"authorization":null}})"));
  EXPECT_TRUE(run(variables_.remove({admin(), snapshot(shop_), soon()}, "TOKEN")));
}

// A record of a version without variables: its texts are what they were.
TEST_F(IntegrationVariables, ATextThatWasStoredBeforeStaysAsItIs) {
  created(R"({"name":"api","provider":"http","config":{"baseUrl":"https://a.example","headers":{"x-a":"${A}"}}})");
  auto record = *store::fromStore<IntegrationRecord>(memory_.all({shop_, kIntegrations, 0}).front().view());
  record.variables.reset();
  store::Write write({.deadline = soon(), .actor = {}, .bumpEpochs = {shop_}});
  const store::Target row = write.change({shop_, kIntegrations, 0}, record.id);
  ASSERT_TRUE(
      run(store_.write(std::move(write), [row, record](const store::PreImages&, store::Changes& changes) -> Result<> {
        changes.put(row, doc::encode(record));
        return {};
      })));
  EXPECT_THAT(get(), HasSubstr("200"));
  EXPECT_EQ(header(outside_.request(), "x-a"), "${A}");
}

}  // namespace
}  // namespace mb::integrations
