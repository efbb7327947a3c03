// Variables of a project, and as a section of its configuration. Sign-in with other providers stands for the resources
// that name them.
#include "configuration/variable_kind.h"

#include <gmock/gmock.h>

#include "configuration/configuration_fixture.h"
#include "store/configuration_limits.h"

namespace mb::configuration {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class VariablesTest : public ConfigurationFixture {
 protected:
  variables::Access access(std::optional<policy::Caller> caller = std::nullopt) {
    return {caller ? *std::move(caller) : admin(), snapshot(shop_), soon()};
  }
  Result<> remove(std::string name) { return run(variables_.remove(access(), std::move(name))); }
  Text shown() {
    std::vector<Text> all;
    for (const auto& view : variables_.list(*snapshot(shop_))) all.push_back(doc::toJson(doc::encode(view)));
    return fmt::format("{}", fmt::join(all, " "));
  }
  Result<> provide(std::string clientId) {
    const auto now = snapshot(shop_);
    return run(
        identity_.oauthConfigs().setProvider(now, "google", {std::move(clientId), true, {}, {}}, admin(), soon()));
  }
  Result<std::string> clientId() {
    const auto now = snapshot(shop_);
    const auto& providers = now->get(identity_.slots().oauth).providers;
    return identity_.oauthConfigs().clientIdOf(*now, providers.at("google"));
  }
};

TEST_F(VariablesTest, PlainOnesAreShownAndSecretOnesAreNot) {
  ASSERT_TRUE(setVariable("EMPTY", {}));
  ASSERT_TRUE(setPlain("HOST", "api.example.com"));
  ASSERT_TRUE(setSecret("TOKEN", "marked-secret"));
  EXPECT_EQ(shown(), R"({"name":"EMPTY","secret":false,"configured":false} )"
                     R"({"name":"HOST","secret":false,"value":"api.example.com","configured":true} )"
                     R"({"name":"TOKEN","secret":true,"configured":true})");
  for (const doc::Document& stored : memory_.all({shop_, variables::kVariables, 0})) {
    EXPECT_THAT(doc::toJson(stored), Not(HasSubstr("marked-secret")));
  }
  for (const doc::Document& entry : memory_.all({shop_, audit::kAuditCollection, 0})) {
    EXPECT_THAT(doc::toJson(entry), Not(HasSubstr("marked")));
    EXPECT_THAT(doc::toJson(entry), Not(HasSubstr("api.example.com")));
  }
  ASSERT_TRUE(remove("EMPTY"));
  EXPECT_EQ(codeOf(remove("EMPTY")), "NOT_FOUND");
  EXPECT_THAT(auditActions(shop_), ElementsAre("variable.set", "variable.set", "variable.set", "variable.deleted"));
}

TEST_F(VariablesTest, WhatIsNoneIsRefused) {
  EXPECT_EQ(details(setVariable("lower", {})), "/name " + Text(variables::kVariableNameRule));
  EXPECT_EQ(details(setPlain("A", std::string((8 << 10) + 1, 'x'))), "/value must have at most 8 KiB");
  EXPECT_TRUE(setPlain("A", std::string(8 << 10, 'x')));
  EXPECT_EQ(details(setPlain("A", "x${B}")), "/value must not refer to another variable");
  EXPECT_TRUE(setPlain("A", "x${b} and ${"));
}

TEST_F(VariablesTest, ASecretOneBecomesPlainWithANewValueOnly) {
  ASSERT_TRUE(setPlain("TOKEN", "first"));
  ASSERT_TRUE(setVariable("TOKEN", {{}, true, {}}));
  EXPECT_EQ(shown(), R"({"name":"TOKEN","secret":true,"configured":true})");
  const auto now = snapshot(shop_);
  EXPECT_EQ(variables_.valuesOf(*now).textOf("${TOKEN}", variables::FieldKind::secret).value_or(""), "first");
  EXPECT_THAT(details(setVariable("TOKEN", {{}, false, {}})), HasSubstr("/value is required"));
  EXPECT_EQ(shown(), R"({"name":"TOKEN","secret":true,"configured":true})");
  ASSERT_TRUE(setVariable("TOKEN", {"second", false, {}}));
  EXPECT_EQ(shown(), R"({"name":"TOKEN","secret":false,"value":"second","configured":true})");
}

TEST_F(VariablesTest, AUsedOneFitsItsUsesAndStays) {
  ASSERT_TRUE(provide("${CLIENT}.apps"));
  EXPECT_EQ(clientId().error().message(), "the variable CLIENT has no value: set it");
  ASSERT_TRUE(setPlain("CLIENT", "abc"));
  EXPECT_EQ(clientId().value_or(""), "abc.apps");
  ASSERT_TRUE(setPlain("CLIENT", "def"));
  EXPECT_EQ(clientId().value_or(""), "def.apps");
  EXPECT_THAT(details(setPlain("CLIENT", "a b")), HasSubstr("/value does not fit oauth/google/clientId: "));
  EXPECT_THAT(details(setVariable("CLIENT", {{}, true, {}})),
              HasSubstr("/secret does not fit oauth/google/clientId: names"));
  EXPECT_EQ(clientId().value_or(""), "def.apps");
  EXPECT_EQ(remove("CLIENT").error().message(), "the variable is used by oauth/google/clientId: change that first");
  EXPECT_EQ(codeOf(remove("CLIENT")), "CONFLICT");
  ASSERT_TRUE(provide("abc"));
  EXPECT_TRUE(remove("CLIENT"));
}

TEST_F(VariablesTest, ASecretOneIsNoClientId) {
  ASSERT_TRUE(setSecret("TOKEN", "x"));
  EXPECT_THAT(details(provide("${TOKEN}")), HasSubstr("/clientId names the secret variable TOKEN"));
  EXPECT_EQ(codeOf(provide("${OTHER}")), "");
}

TEST_F(VariablesTest, AnExportHoldsNamesOnly) {
  EXPECT_THAT(exported(shop_), Not(HasSubstr("variables")));
  ASSERT_TRUE(setPlain("HOST", "marked.example"));
  ASSERT_TRUE(setSecret("TOKEN", "marked-secret"));
  EXPECT_THAT(exported(shop_),
              HasSubstr(R"("variables":[{"name":"HOST","secret":false},{"name":"TOKEN","secret":true}])"));
  EXPECT_THAT(exported(shop_), Not(HasSubstr("marked")));
  const store::ProjectNo other = project();
  EXPECT_EQ(summary(import(other, exported(shop_))), "2 0 0");
  EXPECT_EQ(exported(other), exported(shop_));
  EXPECT_EQ(summary(import(other, exported(shop_))), "0 0 2");
}

TEST_F(VariablesTest, AnImportNeverMakesASecretOnePlain) {
  ASSERT_TRUE(setSecret("TOKEN", "marked-secret"));
  ASSERT_TRUE(setPlain("HOST", "marked.example"));
  EXPECT_THAT(details(import(shop_, with(R"("variables":[{"name":"TOKEN","secret":false}])"))),
              HasSubstr("/variables/0/secret is true in the project"));
  EXPECT_EQ(summary(import(shop_, with(R"("variables":[{"name":"HOST","secret":true}])"))), "0 1 0");
  EXPECT_THAT(shown(), HasSubstr(R"({"name":"HOST","secret":true,"configured":true})"));
  EXPECT_THAT(details(import(shop_, with(R"("variables":[{"name":"a","secret":true},{"name":"B"}])"))),
              HasSubstr("/variables/0/name must be a capital letter"));
  EXPECT_EQ(codeOf(import(shop_, with(R"("variables":[{"name":"NEW","secret":false}])"),
                          callerWith({"config:manage", "auth:config:write"}))),
            "FORBIDDEN");
}

TEST_F(VariablesTest, AnImportListsNamesWithoutAValue) {
  const Text document = with(R"("variables":[{"name":"CLIENT","secret":false}],
      "oauth":{"providers":[{"provider":"google","clientId":"${CLIENT}","enabled":true}]})");
  EXPECT_EQ(
      details(plan(shop_, document)),
      "/oauth/providers/0/clientId names the variable CLIENT, which has no value in the project: set it, or accept "
      "that with allowMissing=1 (--allow-missing)");
  projects::ImportMode mode;
  mode.allowMissing = true;
  EXPECT_EQ(summary(run(configuration_->import(target(shop_), json(document), mode))), "2 0 0");
  EXPECT_EQ(codeOf(plan(shop_, document)), "VALIDATION");
  ASSERT_TRUE(setPlain("CLIENT", "abc"));
  EXPECT_EQ(summary(plan(shop_, document)), "0 0 2");
  // A document that makes the variable secret is checked with that.
  EXPECT_THAT(details(plan(shop_, with(R"("variables":[{"name":"CLIENT","secret":true}])"))),
              HasSubstr("/variables/0/secret oauth/google/clientId names the secret variable CLIENT"));
  const store::ProjectNo other = project();
  EXPECT_THAT(details(plan(other, with(R"("variables":[{"name":"CLIENT","secret":true}],
      "oauth":{"providers":[{"provider":"google","clientId":"${CLIENT}","enabled":true}]})"))),
              HasSubstr("/oauth/providers/0/clientId names the secret variable CLIENT"));
}

TEST_F(VariablesTest, ACopyIsMadeEmptyAndSaysSo) {
  ASSERT_TRUE(setPlain("CLIENT", "marked"));
  ASSERT_TRUE(setSecret("TOKEN", "marked-secret"));
  ASSERT_TRUE(provide("${CLIENT}"));
  const store::ProjectNo copy = project("Copy");
  const auto warnings = run(configuration_->copy(snapshot(shop_), target(copy)));
  ASSERT_TRUE(warnings);
  EXPECT_THAT(*warnings, ElementsAre("variables have no value here until they are set: CLIENT, TOKEN"));
  EXPECT_EQ(exported(copy).substr(exported(copy).find("\"variables\"")),
            exported(shop_).substr(exported(shop_).find("\"variables\"")));
  for (const auto& view : variables_.list(*snapshot(copy))) EXPECT_FALSE(view.configured) << view.name;
}

TEST_F(VariablesTest, AProjectHasAtMostTwoHundred) {
  for (size_t i = 0; i < store::kMaxVariables; ++i) ASSERT_TRUE(setVariable("V" + std::to_string(i), {}));
  EXPECT_EQ(codeOf(setVariable("MORE", {})), "CONFLICT");
  EXPECT_TRUE(setVariable("V7", {"x", {}, {}}));
}

TEST_F(VariablesTest, ParallelChangesOfOneAreBothJudgedByWhatTheyReplace) {
  ASSERT_TRUE(setSecret("TOKEN", "marked-secret"));
  const auto stale = access();
  ASSERT_TRUE(setVariable("TOKEN", {"plain", false, {}}));
  // Prepared from the secret one: it is prepared again.
  EXPECT_TRUE(run(variables_.put(stale, "TOKEN", {{}, false, {}})));
  EXPECT_THAT(shown(), HasSubstr(R"("value":"plain")"));
}

}  // namespace
}  // namespace mb::configuration
