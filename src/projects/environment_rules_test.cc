#include "projects/environment_rules.h"

#include <gtest/gtest.h>

#include "projects/project_rules.h"

namespace mb::projects {
namespace {

std::vector<std::string> problemsOf(const NewEnvironment& input) {
  std::vector<std::string> paths;
  const Result<> checked = checkEnvironment(input);
  if (checked) return paths;
  EXPECT_EQ(checked.error().code(), ErrorCode::validation);
  for (const auto& detail : checked.error().details()) paths.push_back(detail.path);
  return paths;
}

TEST(EnvironmentRules, Labels) {
  for (const std::string& good : {"qa", "staging", "feature-7", "a-", "a2345678901234b6"}) {
    EXPECT_TRUE(isLabel(good)) << good;
    EXPECT_TRUE(problemsOf({good, {}}).empty()) << good;
  }
  const std::string withNul("q\0a", 3);
  for (const std::string& bad :
       {std::string(), std::string("a"), std::string("A1"), std::string("Staging"), std::string("1st"),
        std::string("-a"), std::string("a_b"), std::string("a b"), std::string("a.b"), std::string("a2345678901234b67"),
        std::string("qä"), std::string("qa\n"), std::string("prod "), withNul}) {
    EXPECT_FALSE(isLabel(bad)) << bad;
    EXPECT_EQ(problemsOf({bad, {}}), std::vector<std::string>{"/environment"}) << bad;
  }
  for (const std::string& reserved : {"prod", "production"}) {
    EXPECT_EQ(problemsOf({reserved, {}}), std::vector<std::string>{"/environment"}) << reserved;
  }
  EXPECT_EQ(problemsOf({"prod", "beige"}), (std::vector<std::string>{"/environment", "/color"}));
  EXPECT_TRUE(problemsOf({"products", "teal"}).empty());
}

TEST(EnvironmentRules, WhatAnEnvironmentTakesFromItsRoot) {
  ProjectRecord root;
  root.id = ProjectId("proj_root");
  root.name = "Shop";
  root.slug = "shop-2";
  root.organizationId = OrgId("org_1");
  root.color = {"red"};
  root.icon = {"🚀"};
  root.maxFileSize = 77;
  root.settings.hideRegistered = true;
  root.status = "suspended";
  root.owners = {"user_1"};
  root.environments.emplace().push_back({ProjectId("proj_x"), "qa"});
  const ProjectRecord made = environmentOf(root, {"staging", "teal"});
  EXPECT_EQ(made.name, "Shop (staging)");
  EXPECT_EQ(made.parentId.value->str(), "proj_root");
  EXPECT_EQ(made.environment.value, "staging");
  EXPECT_EQ(made.color.value, "teal");
  EXPECT_EQ(made.icon.value, "🚀");
  EXPECT_EQ(made.maxFileSize, 77);
  EXPECT_TRUE(made.settings.hideRegistered);
  EXPECT_EQ(made.status, "active");
  EXPECT_EQ(made.organizationId.str(), "org_1");
  EXPECT_TRUE(made.owners.empty());
  EXPECT_FALSE(made.environments);
  EXPECT_EQ(rootOf(made).str(), "proj_root");
  EXPECT_EQ(rootOf(root).str(), "proj_root");
}

TEST(EnvironmentRules, LongNamesMakeRoomForTheLabel) {
  ProjectRecord root;
  for (int i = 0; i < 100; ++i) root.name += "ä";
  const ProjectRecord made = environmentOf(root, {"a2345678901234b6", {}});
  EXPECT_TRUE(checkName(made.name));
  EXPECT_TRUE(made.name.ends_with("ä (a2345678901234b6)"));
  const std::string slug = slugToTry(slugBase(std::string(40, 'x'), "a2345678901234b6"), 0);
  EXPECT_EQ(slug, std::string(23, 'x') + "-a2345678901234b6");
  EXPECT_EQ(slugToTry(slugBase("shop", "qa"), 1), "shop-qa-2");
}

TEST(EnvironmentRules, ARootKnowsItsLabels) {
  ProjectRecord root;
  EXPECT_TRUE(mayDelete(root));
  EXPECT_FALSE(forgetEnvironment(root, ProjectId("proj_1")));
  ASSERT_TRUE(noteEnvironment(root, ProjectId("proj_1"), "qa"));
  ASSERT_TRUE(noteEnvironment(root, ProjectId("proj_2"), "staging"));
  EXPECT_EQ(noteEnvironment(root, ProjectId("proj_3"), "qa").error().code(), ErrorCode::conflict);
  EXPECT_EQ(mayDelete(root).error().code(), ErrorCode::conflict);
  EXPECT_TRUE(forgetEnvironment(root, ProjectId("proj_1")));
  EXPECT_TRUE(noteEnvironment(root, ProjectId("proj_3"), "qa"));
  EXPECT_TRUE(forgetEnvironment(root, ProjectId("proj_2")));
  EXPECT_TRUE(forgetEnvironment(root, ProjectId("proj_3")));
  EXPECT_TRUE(mayDelete(root));
  for (size_t i = 0; i < kMaxEnvironments; ++i) {
    ASSERT_TRUE(noteEnvironment(root, ProjectId("proj_" + std::to_string(i)), "e" + std::to_string(i)));
  }
  EXPECT_EQ(noteEnvironment(root, ProjectId("proj_x"), "more").error().code(), ErrorCode::conflict);
}

}  // namespace
}  // namespace mb::projects
