#include "cli/plan.h"

#include <gtest/gtest.h>

#include <set>

#include "cli/client.h"
#include "document/json.h"

namespace mb::cli {
namespace {

doc::Document json(std::string_view text) {
  return *doc::parseJson(text);
}

TEST(Plan, IsShownWithTheDifferenceOfEachChange) {
  const auto plan = planOf(json(R"({"plan": {"changes": [
      {"section": "collections", "name": "notes", "action": "update",
       "before": {"name": "notes", "indexes": []}, "after": {"name": "notes", "indexes": [1]}},
      {"section": "roles", "name": "editors", "action": "create", "before": null, "after": {"name": "editors"}},
      {"section": "roles", "name": "viewers", "action": "unchanged"}],
      "summary": {"create": 1, "update": 1, "unchanged": 1}}, "problems": []})"),
                           "5e1f");
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_FALSE(plan->empty());
  EXPECT_EQ(plan->digest, "5e1f");
  EXPECT_EQ(describe(*plan, {{"roles", "old"}}, false),
            "update collections notes\n"
            "@@ -1,4 +1,6 @@\n {\n   \"name\": \"notes\",\n-  \"indexes\": []\n+  \"indexes\": [\n+    1\n+  ]\n }\n"
            "create roles editors\n"
            "@@ -0,0 +1,3 @@\n+{\n+  \"name\": \"editors\"\n+}\n"
            "delete roles old\n");
  EXPECT_EQ(summaryOf(*plan, 1), "1 to create, 1 to update, 1 unchanged, 1 to delete");
  EXPECT_NE(describe(*plan, {}, true).find("\033["), std::string::npos);
  EXPECT_FALSE(planOf(json("{}"), "5e1f"));
  EXPECT_FALSE(planOf(json(R"({"plan": {"changes": 1}})"), "5e1f"));
  // Such a plan could be shown, and another one applied.
  const doc::Document none =
      json(R"({"plan": {"changes": [], "summary": {"create": 0, "update": 0, "unchanged": 0}}})");
  EXPECT_TRUE(planOf(none, "5e1f"));
  EXPECT_FALSE(planOf(none, ""));
}

TEST(Plan, ShowsTheCodeOfAFunctionByItsLines) {
  const auto plan = planOf(json(R"({"plan": {"changes": [
      {"section": "functions", "name": "greet", "action": "update",
       "before": {"name": "greet", "code": "const a = 1;\nexport default () => a;\n", "enabled": true},
       "after": {"name": "greet", "code": "const a = 2;\nexport default () => a;\n", "enabled": true}}],
      "summary": {"create": 0, "update": 1, "unchanged": 0}}, "problems": []})"),
                           "5e1f");
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_EQ(describe(*plan, {}, false),
            "update functions greet\n"
            "code of greet\n"
            "@@ -1,2 +1,2 @@\n-const a = 1;\n+const a = 2;\n export default () => a;\n");
}

TEST(Plan, PrunesSomeSectionsOnly) {
  const doc::Document server = json(R"({
      "collections": [{"name": "a"}], "buckets": [{"name": "b"}], "vectors": [{"name": "a"}],
      "roles": [{"name": "kept"}, {"name": "gone"}], "enduserRoles": [{"name": "gone/too"}],
      "functions": [{"name": "f"}], "integrations": [{"name": "i"}], "webhooks": [{"name": "w"}],
      "oauth": {"providers": [{"provider": "github"}]}})");
  const std::vector<PruneEntry> expected = {
      {"webhooks", "w"}, {"functions", "f"}, {"integrations", "i"}, {"roles", "gone"}, {"enduserRoles", "gone/too"}};
  const auto pruned = toPrune(server, json(R"({"roles": [{"name": "kept"}]})"));
  EXPECT_EQ(pruned, expected);
  EXPECT_EQ(routeOf(pruned[3]), "/roles/gone");
  EXPECT_EQ(routeOf(pruned[4]), "/enduser-roles/gone%2Ftoo");
  EXPECT_TRUE(toPrune(server, server).empty());
}

TEST(Plan, ProblemsAreNamedByFile) {
  const doc::Document document = json(R"({
      "collections": [{"name": "*"}, {"name": "notes"}], "roles": [{"name": "editors"}], "functions": [{"name": "f"}]})");
  const auto named = byFile({{"/collections/1/schema/type", "must be object"},
                             {"/collections/0/policy", "is wrong"},
                             {"/roles/0/permissions", "is required"},
                             {"/functions/0", "is refused"},
                             {"/functions/0/code", "line 1, column 2: x"},
                             {"/functions/7/code", "is refused"},
                             {"/collections/notes/policyTests/0", "test fails"},
                             {"/functions/f/tests/1", "test fails"},
                             {"/oauth/providers/0/clientId", "is required"},
                             {"/nowhere", "is not a known field"},
                             {"", "is too large"}},
                            document);
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"collections/notes.json", "/schema/type must be object"},
      {"collections/__default.json", "/policy is wrong"},
      {"roles.json", "editors: /permissions is required"},
      {"functions/f.json", "is refused"},
      {"functions/f.ts", "line 1, column 2: x"},
      {"functions/.json", "/code is refused"},
      {"collections/notes.json", "/policyTests/0 test fails"},
      {"functions/f.json", "/tests/1 test fails"},
      {"oauth.json", "/providers/0/clientId is required"},
      {"/nowhere", "is not a known field"},
      {"", "is too large"}};
  ASSERT_EQ(named.size(), expected.size());
  for (size_t i = 0; i < named.size(); ++i) {
    EXPECT_EQ(std::pair(named[i].path, named[i].message), expected[i]);
  }
}

TEST(ClientCommands, HaveNamesAndHelpOfTheirOwn) {
  std::set<std::string_view> names;
  for (const ClientCommand& command : clientCommands()) {
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
    EXPECT_FALSE(command.help.empty()) << command.name;
    EXPECT_TRUE(command.run) << command.name;
    std::set<std::string_view> options = {"json", "help"};
    for (const Option& option : command.options) {
      EXPECT_TRUE(options.insert(option.name).second) << option.name;
      EXPECT_FALSE(option.help.empty()) << option.name;
    }
  }
  EXPECT_EQ(names.size(), 30u);
}

}  // namespace
}  // namespace mb::cli
