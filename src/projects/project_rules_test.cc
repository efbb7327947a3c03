#include "projects/project_rules.h"

#include <gtest/gtest.h>

namespace mb::projects {
namespace {

TEST(ProjectName, TakesOneToHundredCharacters) {
  EXPECT_EQ(*checkName("  Shop  "), "Shop");
  EXPECT_TRUE(checkName(std::string(100, 'x')));
  std::string umlauts;
  for (int i = 0; i < 100; ++i) umlauts += "ä";
  EXPECT_TRUE(checkName(umlauts));
}

TEST(ProjectName, RefusesEmptyLongAndControl) {
  for (const std::string& bad :
       {std::string(), std::string("   "), std::string(101, 'x'), std::string("a\nb"), std::string("a\0b", 3)}) {
    const auto checked = checkName(bad);
    ASSERT_FALSE(checked) << bad;
    EXPECT_EQ(checked.error().code(), ErrorCode::validation);
    EXPECT_EQ(checked.error().details().at(0).path, "/name");
  }
}

TEST(ProjectSlug, ComesFromTheName) {
  struct Case {
    std::string_view name;
    int attempt;
    std::string_view slug;
  };
  for (const auto& [name, attempt, slug] :
       {Case{"My Shop!", 0, "my-shop"}, Case{"My Shop!", 1, "my-shop-2"}, Case{"--a--b--", 0, "a-b"},
        Case{"日本", 0, "project"}, Case{"日本", 4, "project-5"}, Case{"proj_x", 0, "proj-x"}}) {
    EXPECT_EQ(slugFor(name, attempt), slug);
  }
  EXPECT_LE(slugFor(std::string(200, 'x'), 0).size(), 40u);
}

TEST(ProjectIcon, IsOneEmoji) {
  for (const auto* good :
       {"🚀", "❤️", "❤", "👩‍💻", "🇫🇷", "👍🏽", "1️⃣", "👨‍👩‍👧‍👦", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"})
    EXPECT_TRUE(isSingleEmoji(good)) << good;
  for (const auto* bad : {"", "a", "1", "#", "🚀🚀", "🚀 ", "x🚀", "ä", "<svg>", "\xF0\x9F"}) {
    EXPECT_FALSE(isSingleEmoji(bad)) << bad;
  }
}

TEST(ProjectSettings, OriginsAreOrigins) {
  for (const auto* good :
       {"https://example.com", "http://localhost:5173", "http://[::1]:8080", "https://a-b.c_d.example:80"}) {
    EXPECT_TRUE(isOrigin(good)) << good;
  }
  for (const auto* bad : {"",
                          "*",
                          "null",
                          "example.com",
                          "https://",
                          "https://example.com/",
                          "https://example.com/x",
                          "https://u:p@example.com",
                          "https://example.com?x",
                          "ftp://example.com",
                          "HTTPS://EXAMPLE.COM",
                          "https://exa mple.com",
                          "javascript:alert(1)",
                          "https://*.example.com",
                          "https://*",
                          "https://example.com:443",
                          "http://[::1]:80",
                          "https://example.com:",
                          "https://example.com:0443",
                          "https://a%2eb"}) {
    EXPECT_FALSE(isOrigin(bad)) << bad;
  }
}

ProjectPatch patchOf(std::string_view field, std::string_view value) {
  ProjectPatch patch;
  auto& target = field == "color" ? patch.color : patch.icon;
  target.state = doc::Patch<std::string>::State::value;
  target.value = value;
  return patch;
}

TEST(ProjectPatch, NamesEveryProblem) {
  ProjectPatch patch = patchOf("color", "#ff0000");
  patch.name = "";
  patch.maxFileSize = 0;
  patch.settings.emplace().allowedOrigins = {"https://ok.example", "nonsense"};
  const auto checked = checkPatch(patch);
  ASSERT_FALSE(checked);
  std::vector<std::string> paths;
  for (const auto& detail : checked.error().details()) paths.push_back(detail.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"/name", "/maxFileSize", "/color", "/settings/allowedOrigins/1"}));
}

TEST(ProjectPatch, ListsAreSortedAndAbsentWhenEmpty) {
  ProjectRecord record;
  ProjectPatch patch;
  patch.settings.emplace().tokenClaims = {"plan", "level"};
  patch.settings->profileFields = {"name", "email"};
  ASSERT_TRUE(checkPatch(patch));
  applyPatch(record, patch);
  EXPECT_EQ(record.settings.tokenClaims, (std::vector<std::string>{"level", "plan"}));
  EXPECT_EQ(record.settings.profileFields, (std::vector<std::string>{"email", "name"}));

  ProjectPatch clearing;
  clearing.settings.emplace().tokenClaims.emplace();
  applyPatch(record, clearing);
  EXPECT_FALSE(record.settings.tokenClaims);
  EXPECT_TRUE(record.settings.profileFields);
  // Earlier versions read what is stored without the settings.
  EXPECT_FALSE(doc::encode(record.settings).view().find("tokenClaims"));

  ProjectPatch bad;
  bad.settings.emplace().tokenClaims = {"sub"};
  bad.settings->profileFields = {"metadata"};
  const auto checked = checkPatch(bad);
  ASSERT_FALSE(checked);
  ASSERT_EQ(checked.error().details().size(), 2U);
  EXPECT_EQ(checked.error().details()[0].path, "/settings/tokenClaims/0");
  EXPECT_EQ(checked.error().details()[1].path, "/settings/profileFields/0");
}

TEST(ProjectPatch, LeavesTheRestAlone) {
  ProjectRecord record;
  record.name = "Old";
  record.icon.value = "🚀";
  record.settings.hideRegistered = true;
  ProjectPatch patch = patchOf("color", "teal");
  patch.settings.emplace().rotateRefreshTokens = true;
  ASSERT_TRUE(checkPatch(patch));
  applyPatch(record, patch);
  EXPECT_EQ(record.name, "Old");
  EXPECT_EQ(record.color.value, "teal");
  EXPECT_EQ(record.icon.value, "🚀");
  EXPECT_TRUE(record.settings.hideRegistered);
  EXPECT_TRUE(record.settings.rotateRefreshTokens);

  ProjectPatch clearing;
  clearing.icon.state = doc::Patch<std::string>::State::null;
  applyPatch(record, clearing);
  EXPECT_FALSE(record.icon.value);
  EXPECT_EQ(record.color.value, "teal");
}

}  // namespace
}  // namespace mb::projects
