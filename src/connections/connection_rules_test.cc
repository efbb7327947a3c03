#include "connections/connection_rules.h"

#include <gtest/gtest.h>

#include "document/json.h"

namespace mb::connections {
namespace {

std::string pathsOf(const Result<CheckedInput>& checked) {
  if (checked) return "";
  EXPECT_EQ(checked.error().code(), ErrorCode::validation);
  std::string paths;
  for (const auto& detail : checked.error().details()) paths += (paths.empty() ? "" : " ") + detail.path;
  return paths;
}

TEST(ConnectionRulesTest, NamesEveryProblem) {
  const struct {
    const char* body;
    const char* paths;
  } cases[] = {
      {R"({"kind": "github", "name": "a"})", ""},
      {R"({"kind": "github", "name": " a ", "config": {}, "secrets": {}})", ""},
      {R"({"kind": "github", "name": "a", "config": {"owner": "an-org"}, "secrets": {"installationId": "1"}})", ""},
      {R"({"kind": "gitlab", "name": "a"})", "/kind"},
      {R"({"kind": "GitHub", "name": ""})", "/kind /name"},
      {R"({"kind": "github", "name": " \t "})", "/name"},
      {R"({"kind": "github", "name": "a\nb"})", "/name"},
      {R"({"kind": "github", "name": "a", "config": {"host": "x"}})", "/config/host"},
      {R"({"kind": "github", "name": "a", "config": {"owner": 1}})", "/config/owner"},
      {R"({"kind": "github", "name": "a", "config": {"owner": ""}})", "/config/owner"},
      {R"({"kind": "github", "name": "a", "config": {"owner": " x"}})", "/config/owner"},
      {R"({"kind": "github", "name": "a", "config": {"installationId": "1"}})", "/config/installationId"},
      {R"({"kind": "github", "name": "a", "secrets": {"token": "x"}})", "/secrets/token"},
      {R"({"kind": "github", "name": "a", "secrets": {"installationId": 7}})", "/secrets/installationId"},
      {R"({"kind": "github", "name": "a", "secrets": {"installationId": "a\u0000b"}})", "/secrets/installationId"},
      {R"({"kind": "github", "name": "", "config": {"x": 1, "owner": []}, "secrets": {"y": ""}})",
       "/name /config/x /config/owner /secrets/y"},
  };
  for (const auto& each : cases) {
    const auto body = doc::decode<NewConnection>(*doc::parseJson(each.body));
    ASSERT_TRUE(body) << each.body;
    EXPECT_EQ(pathsOf(check(*body)), each.paths) << each.body;
  }
}

TEST(ConnectionRulesTest, LengthsAreBounded) {
  const auto of = [](std::string name, std::string secret) {
    doc::BsonWriter secrets;
    secrets.appendString("installationId", secret);
    return pathsOf(check(NewConnection{"github", std::move(name), {}, secrets.finish()}));
  };
  std::string wide;
  for (int i = 0; i < 64; ++i) wide += "é";
  EXPECT_EQ(of(wide, std::string(4096, 's')), "");
  EXPECT_EQ(of(wide + "x", std::string(4097, 's')), "/name /secrets/installationId");
}

TEST(ConnectionRulesTest, BlankSecretsAreNotGiven) {
  const auto patch = doc::decode<ConnectionPatch>(*doc::parseJson(R"({"secrets": {"installationId": "  "}})"));
  EXPECT_TRUE(check(*findKind("github"), *patch)->secrets.empty());
  const auto none = doc::decode<ConnectionPatch>(*doc::parseJson(R"({"secrets": {"installationId": null}})"));
  EXPECT_TRUE(check(*findKind("github"), *none)->secrets.empty());
}

TEST(ConnectionRulesTest, NamesAreComparedWithoutCase) {
  EXPECT_EQ(nameKey("Straße"), nameKey("STRASSE"));
  EXPECT_EQ(nameKey("Ünder"), nameKey("üNDER"));
  EXPECT_NE(nameKey("a-b"), nameKey("a_b"));
}

}  // namespace
}  // namespace mb::connections
