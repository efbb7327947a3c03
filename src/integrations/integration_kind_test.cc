#include "integrations/integration_kind.h"

#include <gmock/gmock.h>

#include "integrations/integrations_fixture.h"

namespace mb::integrations {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr std::string_view kMail =
    R"({"name":"mail","provider":"email","config":{"from":"a@b.example","host":"h.example"},"enabled":true,"tests":[]})";
constexpr std::string_view kApi =
    R"({"name":"api","provider":"http","config":{"baseUrl":"https://a.example","headers":{"a":"1","b":"2"}},)"
    R"("enabled":false,"tests":[{"name":"t","op":"get","args":{"path":"/"},"stub":null,"expect":{"a":1,"b":2}}]})";

std::string document(std::string_view entries) {
  return fmt::format(R"({{"formatVersion":1,"integrations":[{}]}})", entries);
}

class IntegrationKindTest : public IntegrationsFixture {
 protected:
  std::string section(store::ProjectNo project) {
    const std::string all = exported(project);
    const size_t begin = all.find("\"integrations\":");
    return all.substr(begin, all.find(",\"webhooks\"") - begin);
  }
  std::vector<std::string> problems(std::string_view entries) {
    const auto answer = plan(shop_, document(entries));
    std::vector<std::string> paths;
    if (!answer) {
      for (const ErrorDetail& each : answer.error().details()) paths.push_back(each.path);
    }
    return paths;
  }
};

TEST_F(IntegrationKindTest, TheShapeComesBackAsItWent) {
  const std::string whole = document(fmt::format("{},{}", kMail, kApi));
  EXPECT_EQ(summary(import(shop_, whole)), "2 0 0");
  EXPECT_EQ(section(shop_), fmt::format(R"("integrations":[{},{}])", kApi, kMail));
  EXPECT_EQ(summary(import(shop_, whole)), "0 0 2");
  // A different order of keys makes no difference.
  EXPECT_EQ(
      summary(plan(shop_, document(R"({"tests":[{"expect":{"b":2,"a":1},"stub":null,"args":{"path":"/"},"op":"get",
      "name":"t"}],"enabled":false,"config":{"headers":{"b":"2","a":"1"},"baseUrl":"https://a.example"},
      "provider":"http","name":"api"})"))),
      "0 0 1");
  const store::ProjectNo other = project("Other");
  EXPECT_EQ(summary(import(other, exported(shop_))), "2 0 0");
  EXPECT_EQ(section(other), section(shop_));
}

TEST_F(IntegrationKindTest, ValuesStayAsTheyAreWritten) {
  const std::string entry =
      R"({"name":"api","provider":"http","config":{"baseUrl":"https://a.example"},"enabled":true,)"
      R"("tests":[{"name":"t","op":"put","args":{"body":{"$date":"2026-01-31T09:30:00.000Z"},"path":"/"},"stub":1,)"
      R"("expect":1}]})";
  EXPECT_EQ(summary(import(shop_, document(entry))), "1 0 0");
  EXPECT_THAT(view("api"), HasSubstr(R"("body":{"$date":"2026-01-31T09:30:00.000Z"})"));
  EXPECT_EQ(section(shop_), fmt::format(R"("integrations":[{}])", entry));
  EXPECT_EQ(summary(import(shop_, document(entry))), "0 0 1");
}

TEST_F(IntegrationKindTest, WhatADocumentDoesNotSayStays) {
  created(
      R"({"name":"api","provider":"http","config":{"baseUrl":"https://a.example"},"secrets":{"authorization":"x"}})");
  EXPECT_EQ(summary(import(shop_, document(kApi))), "0 1 0");
  EXPECT_THAT(view("api"), HasSubstr(R"("authorization":{"configured":true})"));
  EXPECT_EQ(summary(import(shop_,
                           document(R"({"name":"api","provider":"http","config":{"baseUrl":"https://a.example/b"}})"))),
            "0 1 0");
  EXPECT_THAT(view("api"), HasSubstr("https://a.example/b"));
  EXPECT_THAT(view("api"), HasSubstr(R"("enabled":false,"tests":[{"name":"t")"));
  EXPECT_THAT(view("api"), HasSubstr(R"("authorization":{"configured":true})"));
}

TEST_F(IntegrationKindTest, AnImportSendsNoSecretElsewhere) {
  constexpr std::string_view kElsewhere =
      R"({"name":"api","provider":"http","config":{"baseUrl":"https://b.example"}})";
  created(
      R"({"name":"api","provider":"http","config":{"baseUrl":"https://a.example"},"secrets":{"authorization":"x"}})");
  EXPECT_THAT(problems(kElsewhere), ElementsAre("/integrations/0/config"));
  EXPECT_FALSE(import(shop_, document(kElsewhere)));
  EXPECT_THAT(view("api"), HasSubstr("https://a.example"));
  EXPECT_TRUE(change("api", R"({"secrets":{"authorization":null}})"));
  EXPECT_EQ(summary(import(shop_, document(kElsewhere))), "0 1 0");
  EXPECT_THAT(view("api"), HasSubstr("https://b.example"));
}

TEST_F(IntegrationKindTest, ANewOneHasNoSecrets) {
  EXPECT_TRUE(import(shop_, document(kMail)));
  EXPECT_THAT(view("mail"),
              HasSubstr(R"("secrets":{"username":{"configured":false},"password":{"configured":false}})"));
  EXPECT_THAT(view("mail"), HasSubstr(R"("enabled":true)"));
}

TEST_F(IntegrationKindTest, EveryProblemIsTold) {
  created(R"({"name":"api","provider":"http","config":{"baseUrl":"https://a.example"}})");
  EXPECT_THAT(problems(R"({"name":"api","provider":"email","config":{"from":"a@b.example","host":"h"}},
                          {"name":"A","provider":"http","config":{"baseUrl":"https://a.example"}},
                          {"name":"two","provider":"http","config":{"baseUrl":"https://a.example"}},
                          {"name":"two","provider":"http","config":{"baseUrl":"https://a.example"}},
                          {"name":"secrets","provider":"http","config":{"baseUrl":"https://a.example"},"secrets":{}},
                          {"name":"none","provider":"ftp","config":{}},
                          {"name":"half","provider":"http"},
                          {"name":"bad","provider":"http","config":{"baseUrl":"x"},"tests":[{"name":"t","op":"x","expect":1}]},
                          7)"),
              UnorderedElementsAre("/integrations/0/provider", "/integrations/1/name", "/integrations/3/name",
                                   "/integrations/4/secrets", "/integrations/5/provider", "/integrations/6/config",
                                   "/integrations/7/config/baseUrl", "/integrations/7/tests/0/op", "/integrations/8"));
}

TEST_F(IntegrationKindTest, AChangeTakesItsPermission) {
  const auto caller = callerWith({"config:manage", "integrations:read"});
  EXPECT_EQ(codeOf(plan(shop_, document(kMail), caller)), "FORBIDDEN");
  EXPECT_TRUE(import(shop_, document(kMail)));
  EXPECT_TRUE(plan(shop_, document(kMail), caller));
  EXPECT_TRUE(import(shop_, document(kApi), callerWith({"config:manage", "integrations:manage"})));
}

}  // namespace
}  // namespace mb::integrations
