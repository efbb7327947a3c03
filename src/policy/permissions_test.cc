#include "policy/permissions.h"

#include <gtest/gtest.h>

#include <random>

namespace mb::policy {
namespace {

TEST(Permissions, Wildcards) {
  struct Case {
    std::string held;
    std::string_view needed;
    bool allowed;
  };
  const Case cases[] = {
      {"data:posts:read", "data:posts:read", true},
      {"data:posts:read", "data:posts:list", false},
      {"data:*", "data:posts:read", true},
      {"data:*", "data", false},
      {"data:*:read", "data:posts:read", true},
      {"data:*:read", "data:posts:list", false},
      {"data:*:read", "data:read", false},
      {"data:posts:*", "data:posts:read", true},
      {"data:posts:*", "data:posts", false},
      {"data:posts:*", "data:other:read", false},
      {"*", "data:posts:read", true},
      {"*", "ops:read", true},
      {"*:read", "collections:read", true},
      {"*:read", "data:posts:read", false},
      {"*:read", "auth:config:read", false},
      {"*:config:read", "auth:config:read", true},
      {"functions:manage", "functions:read", true},
      {"functions:manage", "functions:manage", true},
      {"functions:manage", "functions:invoke", false},
      {"functions:read", "functions:manage", false},
      {"*:manage", "roles:read", true},
      {"manage", "read", true},
      {"introspect:manage", "introspect:posts:read", false},
      {"data:post", "data:posts", false},
      {"data:posts", "data:post", false},
      {"", "data:posts:read", false},
      {"data:*", "", false},
      {"data::read", "data::read", false},
      {":*", ":x", false},
      {"data:", "data:", false},
      {"data:Posts:read", "data:posts:read", false},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(PermissionSet({each.held}).allows(each.needed), each.allowed) << each.held << " for " << each.needed;
  }
  EXPECT_FALSE(PermissionSet().allows("data:posts:read"));
}

TEST(Permissions, Shape) {
  for (const std::string_view good : {"*", "data:*:read", "auth:config:write", "a:b:c:d", "data:my-posts_2.x:read"}) {
    EXPECT_TRUE(checkPermission(good)) << good;
  }
  for (const std::string& bad :
       {std::string(), std::string(":"), std::string("a:"), std::string(":a"), std::string("a::b"),
        std::string("a:b:c:d:e"), std::string("a b"), std::string("a:$x"), std::string("data:po*:read"),
        std::string("**"), std::string("ä"), std::string(201, 'a'), std::string("a\0b", 3)}) {
    EXPECT_FALSE(checkPermission(bad)) << bad;
  }
}

// The meaning of a permission, by enumeration: all strings of the universe that it allows.
bool means(const std::vector<std::string>& held, const std::vector<std::string>& needed, size_t i = 0) {
  if (i == held.size()) return i == needed.size();
  if (i == needed.size()) return false;
  const bool last = i + 1 == held.size();
  if (held[i] == "*") return last || means(held, needed, i + 1);
  if (last && i + 1 == needed.size() && held[i] == "manage" && needed[i] == "read") return true;
  return held[i] == needed[i] && means(held, needed, i + 1);
}

using Segments = std::vector<std::string>;

std::string joined(const Segments& segments) {
  std::string text;
  for (const std::string& segment : segments) text += (text.empty() ? "" : ":") + segment;
  return text;
}

std::vector<Segments> allOf(const std::vector<std::string>& words, size_t longest) {
  std::vector<Segments> all = {{}};
  for (size_t begin = 0, length = 0; length < longest; ++length) {
    const size_t end = all.size();
    for (size_t i = begin; i < end; ++i) {
      for (const std::string& word : words) {
        Segments next = all[i];
        next.push_back(word);
        all.push_back(std::move(next));
      }
    }
    begin = end;
  }
  all.erase(all.begin());
  return all;
}

TEST(Permissions, IncludesNeverSaysYesWrongly) {
  const std::vector<Segments> patterns = allOf({"*", "a", "b", "manage", "read"}, 3);
  const std::vector<Segments> needs = allOf({"a", "b", "manage", "read", "c"}, 4);
  // Every pattern against every string.
  std::vector<std::vector<bool>> truth(patterns.size(), std::vector<bool>(needs.size()));
  for (size_t p = 0; p < patterns.size(); ++p) {
    const PermissionSet one({joined(patterns[p])});
    for (size_t n = 0; n < needs.size(); ++n) {
      truth[p][n] = means(patterns[p], needs[n]);
      ASSERT_EQ(one.allows(joined(needs[n])), truth[p][n]) << joined(patterns[p]) << " for " << joined(needs[n]);
    }
  }
  std::mt19937 random(7);
  size_t included = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::vector<size_t> mine(random() % 4);
    std::vector<size_t> theirs(random() % 3);
    for (size_t& p : mine) p = random() % patterns.size();
    for (size_t& p : theirs) p = random() % patterns.size();
    const auto setOf = [&](const std::vector<size_t>& chosen) {
      std::vector<std::string> texts;
      for (const size_t p : chosen) texts.push_back(joined(patterns[p]));
      return PermissionSet(std::move(texts));
    };
    if (!setOf(mine).includes(setOf(theirs))) continue;
    ++included;
    for (const size_t p : theirs) {
      for (size_t n = 0; n < needs.size(); ++n) {
        if (!truth[p][n]) continue;
        ASSERT_TRUE(std::ranges::any_of(mine, [&](size_t own) { return truth[own][n]; }))
            << joined(patterns[p]) << " allows " << joined(needs[n]);
      }
    }
  }
  EXPECT_GT(included, 1'000U);
}

TEST(Permissions, GrantingWhatOneHolds) {
  const auto includes = [](std::vector<std::string> mine, std::vector<std::string> theirs) {
    return PermissionSet(std::move(mine)).includes(PermissionSet(std::move(theirs)));
  };
  EXPECT_TRUE(includes({"*"}, {"data:*", "roles:manage", "*"}));
  EXPECT_TRUE(includes({"data:*"}, {"data:*:read", "data:posts:*", "data:posts:admin"}));
  EXPECT_FALSE(includes({"data:*:read"}, {"data:*"}));
  EXPECT_FALSE(includes({"data:*:read"}, {"data:posts:*"}));
  EXPECT_FALSE(includes({"*:read"}, {"*"}));
  EXPECT_TRUE(includes({"roles:manage"}, {"roles:read"}));
  EXPECT_FALSE(includes({"roles:read"}, {"roles:manage"}));
  EXPECT_TRUE(includes({}, {}));
  EXPECT_FALSE(includes({}, {"data:x:read"}));
}

}  // namespace
}  // namespace mb::policy
