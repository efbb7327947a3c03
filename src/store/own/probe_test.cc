#include "store/own/probe.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "document/json.h"

namespace mb::store::own {
namespace {

doc::Document json(std::string_view text) {
  return *doc::parseJson(text);
}

TEST(Identity, IsThatOfTheSetAndTheDatabase) {
  const doc::Document one = json(R"({"setName": "rs0", "hosts": ["B:1", "a:2"], "passives": ["c:3"]})");
  const doc::Document other = json(R"({"setName": "rs0", "hosts": ["a:2", "b:1", "c:3"]})");
  EXPECT_EQ(identityOf(one, "127.0.0.1 1", "Shop"), "set rs0 a:2 b:1 c:3\nshop");
  EXPECT_EQ(identityOf(one, "127.0.0.1 1", "shop"), identityOf(other, "10.0.0.1 2", "shop"));
  EXPECT_EQ(identityOf(json("{}"), "127.0.0.1 27017", "shop"), "server 127.0.0.1 27017\nshop");
  EXPECT_NE(identityOf(one, "", "shop"), identityOf(one, "", "shop2"));
}

TEST(Warnings, HaveFixedTexts) {
  for (const char* code : {"no-change-streams", "no-pre-images", "no-transactions", "plain-connection", "not-reachable",
                           "read-only", "collection-missing", "default-collation", "index-on-id-missing"}) {
    EXPECT_EQ(warningOf(code).code, code);
    EXPECT_FALSE(warningOf(code).message.empty());
  }
}

}  // namespace
}  // namespace mb::store::own
