#include "configuration/settings_kind.h"

#include <gmock/gmock.h>

#include "configuration/bundle.h"
#include "configuration/configuration_fixture.h"
#include "projects/project_rules.h"

namespace mb::configuration {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kTeam = R"({"name":"posts","policy":{"read":{"filter":{"team":"$auth.token.team"}}}})";

class Settings : public ConfigurationFixture {
 protected:
  Settings() {
    configuration_->add(std::make_unique<SettingsKind>(
        [this](snapshot::SnapshotPtr project, projects::SettingsPatch patch, policy::Caller, store::Deadline) {
          return writeSettings(std::move(project), std::move(patch));
        },
        [this](snapshot::SnapshotPtr project, std::vector<std::string> claims) {
          return usesOf(std::move(project), std::move(claims));
        }));
  }
  Task<std::vector<projects::ClaimUse>> usesOf(snapshot::SnapshotPtr project, std::vector<std::string> claims) {
    CO_TRY(auto uses, co_await data_->collections().claimUses(std::move(project), std::move(claims)));
    uses.insert(uses.end(), otherUses_.begin(), otherUses_.end());
    co_return uses;
  }
  Text settingsOf(store::ProjectNo project) {
    const Text text = exported(project);
    const size_t at = text.find(R"(,"settings":)");
    return at == Text::npos ? "" : text.substr(at + 12, text.size() - at - 13);
  }
  static std::vector<Text> problemsOf(const Result<doc::Document>& answer) {
    std::vector<Text> problems;
    if (answer) return problems;
    for (const ErrorDetail& each : answer.error().details()) problems.push_back(each.path);
    return problems;
  }

  std::vector<projects::ClaimUse> otherUses_;
};

TEST_F(Settings, AreReplacedByNameAndAbsentWhenEmpty) {
  EXPECT_EQ(settingsOf(shop_), "");
  const Text document = with(R"("settings":{"tokenClaims":["plan","level"],"profileFields":["name"]})");
  EXPECT_EQ(summary(import(shop_, document)), "2 0 0");
  EXPECT_EQ(settingsOf(shop_), R"({"profileFields":["name"],"tokenClaims":["level","plan"]})");
  EXPECT_EQ(summary(import(shop_, document)), "0 0 2");
  EXPECT_EQ(summary(import(shop_, exported(shop_))), "0 0 2");
  // A setting that the document does not name stays.
  EXPECT_EQ(summary(import(shop_, with(R"("settings":{"tokenClaims":["plan"]})"))), "0 1 0");
  EXPECT_EQ(settingsOf(shop_), R"({"profileFields":["name"],"tokenClaims":["plan"]})");
  EXPECT_EQ(summary(import(shop_, with(R"("settings":{"tokenClaims":[],"profileFields":null})"))), "0 1 0");
  EXPECT_EQ(settingsOf(shop_), R"({"profileFields":["name"]})");
  EXPECT_EQ(summary(import(shop_, with(R"("settings":{"tokenClaims":[]})"))), "0 0 0");
}

TEST_F(Settings, AreOneFileOfTheBundle) {
  EXPECT_TRUE(import(shop_, with(R"("settings":{"tokenClaims":["plan"]})")));
  const auto bundle = bundleOf(json(exported(shop_)));
  ASSERT_TRUE(bundle);
  const auto file = std::ranges::find(*bundle, "settings.json", &BundleFile::path);
  ASSERT_NE(file, bundle->end());
  EXPECT_THAT(file->content, HasSubstr("\"tokenClaims\""));
  const auto document = documentOf(*bundle);
  ASSERT_TRUE(document);
  EXPECT_EQ(summary(import(project(), doc::toJson(*document))), "1 0 0");
}

TEST_F(Settings, BadOnesAreProblems) {
  const auto refused = plan(shop_, with(R"("settings":{"tokenClaims":["sub","a b"],"profileFields":["id"]})"));
  EXPECT_THAT(problemsOf(refused),
              ElementsAre("/settings/tokenClaims/0", "/settings/tokenClaims/1", "/settings/profileFields/0"));
  EXPECT_THAT(problemsOf(plan(shop_, with(R"("settings":{"allowedOrigins":[],"x":1})"))),
              ElementsAre("/settings/allowedOrigins", "/settings/x"));
  EXPECT_THAT(problemsOf(plan(shop_, with(R"("settings":[])"))), ElementsAre("/settings"));
  EXPECT_THAT(problemsOf(plan(shop_, with(R"("settings":{"tokenClaims":"plan"})"))),
              ElementsAre("/settings/tokenClaims"));
}

TEST_F(Settings, NeedTheirPermission) {
  const Text document = with(R"("settings":{"tokenClaims":["plan"]})");
  EXPECT_EQ(codeOf(plan(shop_, document, callerWith({"config:manage"}))), "FORBIDDEN");
  EXPECT_EQ(summary(import(shop_, document, callerWith({"config:manage", "auth:config:write"}))), "1 0 0");
  EXPECT_EQ(summary(plan(shop_, document, callerWith({"config:manage"}))), "0 0 1");
}

TEST_F(Settings, ClaimsAndPoliciesAreLookedAtTogether) {
  const Text policy = fmt::format(R"("collections":[{}])", kTeam);
  EXPECT_THAT(problemsOf(plan(shop_, with(policy))), ElementsAre("/collections/0/policy/read/filter/team"));
  EXPECT_EQ(summary(import(shop_, with(policy + R"(,"settings":{"tokenClaims":["team"]})"))), "2 0 0");
  EXPECT_EQ(summary(import(shop_, with(policy))), "0 0 1");
  // The claim is removed while the policy stays, by either way.
  for (const Text& sections :
       {Text(R"("settings":{"tokenClaims":[]})"), policy + R"(,"settings":{"tokenClaims":["other"]})",
        Text(R"("collections":[{"name":"posts"}],"settings":{"tokenClaims":[]})")}) {
    EXPECT_THAT(problemsOf(plan(shop_, with(sections))), Not(ElementsAre())) << sections;
  }
  // What uses it may be of another section.
  EXPECT_EQ(summary(import(shop_, with(policy + R"(,"settings":{"tokenClaims":["team","plan"]})"))), "0 1 1");
  otherUses_ = {{"buckets", "media", "rules", "the bucket \"media\" uses the claim \"plan\""}};
  EXPECT_THAT(problemsOf(plan(shop_, with(R"("settings":{"tokenClaims":["team"]})"))),
              ElementsAre("/settings/tokenClaims"));
  otherUses_.clear();
  const Text both = R"("collections":[{"name":"posts","policy":{"read":{}}}],"settings":{"tokenClaims":[]})";
  EXPECT_EQ(summary(import(shop_, with(both))), "0 2 0");
}

TEST_F(Settings, APolicyFromBeforeIsUnchanged) {
  EXPECT_TRUE(import(shop_, with(fmt::format(R"("collections":[{}],"settings":{{"tokenClaims":["team"]}})", kTeam))));
  directory_.change(shop_, [](snapshot::ProjectInfo& info) { info.record = {}; });
  memory_.bumpEpoch(shop_);
  EXPECT_EQ(settingsOf(shop_), "");
  EXPECT_EQ(summary(import(shop_, exported(shop_))), "0 0 1");
}

TEST_F(Settings, AreCopiedFirst) {
  EXPECT_TRUE(import(shop_, with(fmt::format(R"("collections":[{}],"settings":{{"tokenClaims":["team"]}})", kTeam))));
  const store::ProjectNo other = project();
  const auto warnings = run(configuration_->copy(snapshot(shop_), target(other)));
  ASSERT_TRUE(warnings);
  EXPECT_THAT(*warnings, ElementsAre());
  EXPECT_EQ(settingsOf(other), R"({"tokenClaims":["team"]})");
  EXPECT_THAT(exported(other), HasSubstr("$auth.token.team"));
}

}  // namespace
}  // namespace mb::configuration
