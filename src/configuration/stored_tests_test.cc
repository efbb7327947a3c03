// Stored tests of policies in a configuration: their form, and how they stop an import.
#include <gmock/gmock.h>

#include "configuration/bundle.h"
#include "configuration/configuration_fixture.h"
#include "configuration/settings_kind.h"

namespace mb::configuration {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class StoredTests : public ConfigurationFixture {
 protected:
  StoredTests() {
    configuration_->add(std::make_unique<SettingsKind>(
        [this](snapshot::SnapshotPtr project, projects::SettingsPatch patch, policy::Caller, store::Deadline) {
          return writeSettings(std::move(project), std::move(patch));
        },
        [this](snapshot::SnapshotPtr project, std::vector<std::string> claims) {
          return data_->collections().claimUses(std::move(project), std::move(claims));
        }));
  }
  // A collection "notes" with a policy and a test.
  static Text notes(std::string_view policy, std::string_view test, std::string_view more = "") {
    return with(
        fmt::format(R"("collections":[{{"name":"notes","policy":{},"policyTests":[{}]}}]{})", policy, test, more));
  }
  static std::vector<Text> pathsOf(const Result<doc::Document>& result) {
    std::vector<Text> paths;
    if (result) return paths;
    for (const ErrorDetail& each : result.error().details()) paths.push_back(each.path);
    return paths;
  }
  // How the plan of the document ends: "" where it passes, else the code.
  std::string planned(const Text& document) { return codeOf(plan(shop_, document)); }
};

constexpr std::string_view kOwn = R"({"read":{"filter":{"ownerId":"$auth.uid"}}})";
constexpr std::string_view kOpen = R"({"read":{}})";
constexpr std::string_view kHidden = R"({"name":"strangers","caller":{"role":"user","uid":"bob"},"operation":"read",)"
                                     R"("document":{"id":"n","ownerId":"ada"},"expect":"hidden"})";

TEST_F(StoredTests, AreInTheCollectionsEntryAndFile) {
  const Text document = notes(kOwn, kHidden);
  EXPECT_EQ(summary(import(shop_, document)), "1 0 0");
  EXPECT_THAT(auditActions(shop_), ElementsAre("config.import", "collection.create", "policy.set", "policyTests.set"));
  const Text now = exported(shop_);
  EXPECT_THAT(now, HasSubstr(fmt::format(R"("policyTests":[{}],"indexes":[])", kHidden)));
  EXPECT_EQ(summary(import(shop_, document)), "0 0 1");
  EXPECT_EQ(summary(import(shop_, now)), "0 0 1");

  const auto text = doc::parseJson(now, {.maxDepth = 100, .extended = doc::ExtendedJson::refuse});
  const auto files = bundleOf(*text);
  ASSERT_TRUE(files) << files.error().message();
  const auto joined = documentOf(*files);
  ASSERT_TRUE(joined) << joined.error().message();
  EXPECT_EQ(summary(plan(shop_, doc::toJson(*joined))), "0 0 1");

  // Left out they stay; null and an empty list clear them.
  EXPECT_EQ(summary(plan(shop_, with(R"("collections":[{"name":"notes"}])"))), "0 0 1");
  EXPECT_EQ(summary(import(shop_, with(R"("collections":[{"name":"notes","policyTests":null}])"))), "0 1 0");
  EXPECT_THAT(exported(shop_), Not(HasSubstr("policyTests")));
  EXPECT_EQ(summary(import(shop_, with(R"("collections":[{"name":"notes","policyTests":[]}])"))), "0 0 1");
}

TEST_F(StoredTests, KeepTheTypesOfTheirValues) {
  const Text typed =
      notes(kOwn, R"({"name":"typed","caller":{"role":"user","uid":"bob"},"operation":"read",)"
                  R"("document":{"at":{"$date":"2026-01-31T09:30:00Z"},"clientSecret":1},"expect":"hidden"})");
  ASSERT_TRUE(import(shop_, typed));
  EXPECT_THAT(exported(shop_), HasSubstr(R"("at":{"$date":"2026-01-31T09:30:00.000Z"},"clientSecret":1})"));
  EXPECT_EQ(summary(plan(shop_, typed)), "0 0 1");
}

TEST_F(StoredTests, AreCheckedWithTheDocument) {
  const auto refused = [&](std::string_view test) { return pathsOf(plan(shop_, notes(kOwn, test))); };
  const std::string at = "/collections/0/policyTests/0";
  EXPECT_THAT(refused(R"({"name":"a"})"), Not(ElementsAre()));
  EXPECT_THAT(refused(R"({"name":"a","caller":{"user":"user_1"},"operation":"list","expect":"allowed"})"),
              ElementsAre(at + "/caller/user"));
  EXPECT_THAT(refused(R"({"name":"a","caller":{"role":"user"},"operation":"fly","expect":"allowed"})"),
              ElementsAre(at + "/operation"));
  EXPECT_THAT(refused(R"({"name":"","caller":{"role":"user"},"operation":"list","expect":"maybe","x":1})"),
              ElementsAre(at + "/x"));
  EXPECT_THAT(refused(R"({"name":"","caller":{"role":"user"},"operation":"list","expect":"maybe"})"),
              ElementsAre(at + "/name", at + "/expect"));
  EXPECT_THAT(pathsOf(plan(shop_, with(R"("collections":[{"name":"*","policy":{},"policyTests":[]}])"))),
              ElementsAre("/collections/0/policyTests"));
}

TEST_F(StoredTests, NeedThePermissionOfPolicies) {
  ASSERT_TRUE(import(shop_, notes(kOwn, kHidden)));
  const Text cleared = with(R"("collections":[{"name":"notes","policyTests":[]}])");
  EXPECT_EQ(codeOf(plan(shop_, cleared, callerWith({"config:manage", "collections:manage"}))), "FORBIDDEN");
  EXPECT_EQ(codeOf(plan(shop_, cleared, callerWith({"config:manage", "policies:manage"}))), "");
}

TEST_F(StoredTests, AFailingOneStopsTheImport) {
  const auto refused = import(shop_, notes(kOpen, kHidden));
  EXPECT_EQ(codeOf(refused), "TESTS_FAILED");
  EXPECT_EQ(details(refused), "/collections/notes/policyTests/0 test \"strangers\": expected hidden, got allowed");
  EXPECT_EQ(codeOf(plan(shop_, notes(kOpen, kHidden))), "TESTS_FAILED");
  EXPECT_THAT(auditActions(shop_), ElementsAre());
  EXPECT_THAT(exported(shop_), HasSubstr(R"("collections":[])"));

  mode_.skipTests = true;
  EXPECT_EQ(summary(import(shop_, notes(kOpen, kHidden))), "1 0 0");
  EXPECT_THAT(auditActions(shop_), ElementsAre("config.import", "collection.create", "policy.set", "policyTests.set"));
}

TEST_F(StoredTests, SeeTheProjectAsItWouldBe) {
  // A schema, a role, a claim, a set and the default policy that the same document brings.
  constexpr std::string_view kOfTeam =
      R"({"read":{"filter":{"team":{"$in":"$auth.sets.teams"},"plan":"$auth.token.plan"}}})";
  constexpr std::string_view kMember =
      R"({"name":"members","caller":{"role":"Guest","uid":"ada","claims":{"plan":"pro"}},"operation":"read","id":"n",)"
      R"("given":{"notes":[{"id":"n","team":"t","plan":"pro"}],"memberships":[{"userId":"ada","team":"t"}]},)"
      R"("expect":"allowed"})";
  const Text document = with(fmt::format(
      R"("settings":{{"tokenClaims":["plan"]}},"enduserRoles":[{{"name":"Guest","permissions":["data:notes:read"]}}],)"
      R"("collections":[{{"name":"notes","policy":{},"policyTests":[{}]}},)"
      R"({{"name":"memberships","indexes":[{{"keys":{{"userId":1}}}}]}}],)"
      R"("policySets":[{{"name":"teams","collection":"memberships","where":{{"userId":"$auth.uid"}},"value":"team"}}])",
      kOfTeam, kMember));
  const auto whole = plan(shop_, document);
  EXPECT_TRUE(whole) << details(whole) << (whole ? "" : whole.error().message());
  ASSERT_TRUE(import(shop_, document));

  // Each of them alone can break it.
  EXPECT_EQ(planned(with(R"("enduserRoles":[{"name":"Guest","permissions":[]}])")), "TESTS_FAILED");
  EXPECT_EQ(planned(with(R"("enduserRoles":[{"name":"Guest","permissions":["data:*:read"]}])")), "");
  EXPECT_EQ(planned(with(R"("policySets":[{"name":"teams","collection":"memberships",)"
                         R"("where":{"userId":"$auth.uid"},"value":"other"}])")),
            "TESTS_FAILED");
  EXPECT_EQ(planned(with(R"("collections":[{"name":"notes","policy":null}])")), "TESTS_FAILED");
  EXPECT_EQ(planned(with(R"("collections":[{"name":"*","policy":{"read":{}}},{"name":"notes","policy":null}])")), "");
  EXPECT_EQ(planned(with(R"("collections":[{"name":"notes","policy":{"read":{"filter":{"team":"x"}}}}])")),
            "TESTS_FAILED");
}

TEST_F(StoredTests, RunByThemselves) {
  ASSERT_TRUE(import(shop_, notes(kOwn, kHidden)));
  const auto standing = run(configuration_->runTests(target(shop_), {}));
  ASSERT_TRUE(standing) << standing.error().message();
  EXPECT_EQ(standing->passed, 1);
  EXPECT_EQ(standing->results.at(0).got, "hidden");
  EXPECT_FALSE(standing->results.at(0).steps.empty());

  TestSelection drafted;
  drafted.document = json(with(fmt::format(R"("collections":[{{"name":"notes","policy":{}}}])", kOpen)));
  const auto would = run(configuration_->runTests(target(shop_), drafted));
  ASSERT_TRUE(would) << would.error().message();
  EXPECT_EQ(would->failed, 1);
  EXPECT_EQ(would->results.at(0).got, "allowed");
  EXPECT_EQ(run(configuration_->runTests(target(shop_), {}))->passed, 1);
  EXPECT_EQ(codeOf(run(configuration_->runTests(target(shop_, callerWith({"policies:read"})), drafted))), "FORBIDDEN");

  drafted.document = json(with(R"("collections":[{"name":"notes","policy":{"fly":{}}}])"));
  const auto wrong = run(configuration_->runTests(target(shop_), drafted));
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().details().at(0).path, "/document/collections/0/policy/fly");

  TestSelection other;
  other.collections = {"notes", "unknown"};
  const auto unknown = run(configuration_->runTests(target(shop_), other));
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().details().at(0).path, "/collections/1");
  other.collections = std::vector<std::string>();
  EXPECT_TRUE(run(configuration_->runTests(target(shop_), other))->results.empty());
}

TEST_F(StoredTests, ThoseThatCannotRunHaveFailed) {
  const Text document = notes(
      kOpen,
      R"({"name":"a","caller":{"role":"Gone"},"operation":"read","document":{},"expect":"denied"},)"
      R"({"name":"b","caller":{"role":"user"},"operation":"read","id":"n","given":{"gone":[]},"expect":"hidden"})");
  const auto refused = plan(shop_, document);
  EXPECT_THAT(pathsOf(refused), ElementsAre("/collections/notes/policyTests/0", "/collections/notes/policyTests/1"));
  EXPECT_THAT(details(refused), HasSubstr("got error (caller/role no end-user role \"Gone\")"));
  EXPECT_THAT(details(refused), HasSubstr("got error (given/gone: no such collection)"));

  ASSERT_TRUE(import(shop_, notes(kOwn, kHidden)));
  Target late = target(shop_);
  late.deadline = std::chrono::steady_clock::now();
  const auto report = run(configuration_->runTests(late, {}));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->results.at(0).got, "error");
}

TEST_F(StoredTests, TheSettingIsRemovedByFalse) {
  EXPECT_FALSE(requiresTests(snapshot(shop_)->info()));
  EXPECT_EQ(summary(import(shop_, with(R"("settings":{"requireTests":true})"))), "1 0 0");
  EXPECT_TRUE(requiresTests(snapshot(shop_)->info()));
  EXPECT_THAT(exported(shop_), HasSubstr(R"("settings":{"requireTests":true})"));
  EXPECT_EQ(summary(plan(shop_, exported(shop_))), "0 0 1");
  EXPECT_EQ(summary(import(shop_, with(R"("settings":{"requireTests":false})"))), "0 1 0");
  EXPECT_FALSE(requiresTests(snapshot(shop_)->info()));
  EXPECT_THAT(exported(shop_), Not(HasSubstr("settings")));
  EXPECT_EQ(summary(plan(shop_, with(R"("settings":{"requireTests":false})"))), "0 0 0");
}

}  // namespace
}  // namespace mb::configuration
