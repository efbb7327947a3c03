#include "data/reserved.h"

#include <gtest/gtest.h>

namespace mb::data {
namespace {

TEST(ReservedTest, WordsOfTheApiAndOfTheSystem) {
  for (const char* name : {"auth",     "admin",    "control",   "storage",        "graphql",      "realtime",  "run",
                           "billing",  "projects", "health",    "ready",          "openapi.json", "jwks.json", "users",
                           "sessions", "roles",    "functions", "webhooks",       "integrations", "buckets",   "files",
                           "audit",    "__users",  "__",        "system.indexes", "system."}) {
    EXPECT_TRUE(isReservedCollection(name)) << name;
  }
  for (const char* name : {"posts", "Users", "user", "auths", "systems", "_x", "runs", ""}) {
    EXPECT_FALSE(isReservedCollection(name)) << name;
  }
}

TEST(ReservedTest, CollectionNames) {
  for (const std::string& name : {std::string("a"), std::string("Posts_2-x"), "a" + std::string(63, 'x')}) {
    EXPECT_TRUE(isCollectionName(name)) << name;
  }
  for (const std::string& name :
       {std::string(), std::string("1a"), std::string("_a"), std::string("-a"), std::string("a.b"), std::string("a b"),
        std::string("a/b"), std::string("a\0b", 3), std::string("\xc3\xa4"), "a" + std::string(64, 'x')}) {
    EXPECT_FALSE(isCollectionName(name)) << name;
  }
}

TEST(ReservedTest, DocumentIds) {
  for (const std::string& id : {std::string("1"), std::string("_-"), std::string(64, 'x')}) {
    EXPECT_TRUE(isDocumentId(id)) << id;
  }
  for (const std::string& id : {std::string(), std::string("a.b"), std::string("a/b"), std::string("a b"),
                                std::string("a\n"), std::string("$a"), std::string(65, 'x')}) {
    EXPECT_FALSE(isDocumentId(id)) << id;
  }
}

}  // namespace
}  // namespace mb::data
