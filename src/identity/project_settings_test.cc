#include "identity/project_settings.h"

#include <gtest/gtest.h>

#include "document/json.h"

namespace mb::identity {
namespace {

using Texts = std::vector<std::string>;

Texts pathsOf(const std::vector<ErrorDetail>& problems) {
  Texts paths;
  for (const ErrorDetail& each : problems) paths.push_back(each.path);
  return paths;
}

TEST(TokenClaims, AreNamesUnderMetadata) {
  EXPECT_TRUE(tokenClaimProblems({"plan", "team_ids", "org-id", "_x", std::string(64, 'a')}, "/c").empty());
  EXPECT_EQ(pathsOf(tokenClaimProblems({"", "1a", "a.b", "$x", "ä", std::string(65, 'a')}, "/c")),
            (Texts{"/c/0", "/c/1", "/c/2", "/c/3", "/c/4", "/c/5"}));
  EXPECT_EQ(pathsOf(tokenClaimProblems({"plan", "sub", "role", "email", "exp", "plan"}, "/c")),
            (Texts{"/c/1", "/c/2", "/c/3", "/c/4", "/c/5"}));
  EXPECT_TRUE(tokenClaimProblems({"a", "b", "c", "d", "e", "f", "g", "h"}, "/c").empty());
  EXPECT_EQ(pathsOf(tokenClaimProblems({"a", "b", "c", "d", "e", "f", "g", "h", "i"}, "/c")), Texts{"/c"});
}

TEST(ProfileFields, ArePathsOfTheRecord) {
  EXPECT_TRUE(profileFieldProblems({"name", "email", "metadata.avatar", "metadata.a.b"}, "/p").empty());
  EXPECT_EQ(pathsOf(profileFieldProblems({"id", "passwordHash", "metadata", "metadata.", "metadata.$x", "metadata.*",
                                          "emailKey", "metadata.a", "metadata.a", ""},
                                         "/p")),
            (Texts{"/p/0", "/p/1", "/p/2", "/p/3", "/p/4", "/p/5", "/p/6", "/p/8", "/p/9"}));
  Texts many;
  for (int i = 0; i < 21; ++i) many.push_back("metadata.f" + std::to_string(i));
  EXPECT_EQ(pathsOf(profileFieldProblems(many, "/p")), Texts{"/p"});
}

TEST(ProjectSettings, AreReadFromTheRecord) {
  snapshot::ProjectInfo project;
  EXPECT_TRUE(tokenClaimsOf(project).empty());
  EXPECT_TRUE(profileFieldsOf(project).empty());
  project.record = *doc::parseJson(R"({"settings":{"tokenClaims":["plan"],"profileFields":["email","name"]}})");
  EXPECT_EQ(tokenClaimsOf(project), Texts{"plan"});
  EXPECT_EQ(profileFieldsOf(project), (Texts{"email", "name"}));
}

}  // namespace
}  // namespace mb::identity
