#include "identity/user_names.h"

#include <gtest/gtest.h>

#include "document/json.h"

namespace mb::identity {
namespace {

TEST(UserNames, KeysIgnoreCaseAndAccents) {
  EXPECT_EQ(nameKey("Ada Lovelace"), "ada lovelace");
  EXPECT_EQ(nameKey("Émile Zola"), "emile zola");
  EXPECT_EQ(nameKey("E\u0301mile"), "emile");
  EXPECT_EQ(nameKey("STRASSE"), nameKey("Straße"));
  EXPECT_EQ(nameKey("İstanbul"), "istanbul");
  EXPECT_EQ(nameKey("Ａｄａ"), "ada");
  EXPECT_EQ(nameKey("Юлия"), nameKey("юлия"));
  EXPECT_EQ(nameKey("Łukasz"), "łukasz");  // its stroke is part of the letter
  EXPECT_EQ(nameKey("\u0301"), "");
  EXPECT_EQ(nameKey("a\xff"), "");
}

TEST(UserNames, TheKeyFollowsTheName) {
  UserRecord user;
  setName(user, {"Zoë"});
  EXPECT_EQ(user.nameKey, "zoe");
  setName(user, {});
  EXPECT_FALSE(user.nameKey);
  EXPECT_FALSE(user.name.value);
}

TEST(UserNames, RecordsOfEarlierReleasesGetAKey) {
  const auto upgraded = upgradedUser(*doc::parseJson(R"({"id":"user_a","name":"Zoë","status":"active"})"));
  ASSERT_TRUE(upgraded);
  EXPECT_EQ(doc::toJson(*upgraded), R"({"id":"user_a","name":"Zoë","status":"active","nameKey":"zoe"})");
  EXPECT_FALSE(upgradedUser(*upgraded));
  EXPECT_FALSE(upgradedUser(*doc::parseJson(R"({"id":"user_a","name":null})")));
  EXPECT_FALSE(upgradedUser(*doc::parseJson(R"({"id":"user_a"})")));
}

}  // namespace
}  // namespace mb::identity
