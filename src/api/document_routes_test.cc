#include "api/document_routes.h"

#include <gtest/gtest.h>

#include <limits>

namespace mb::api {
namespace {

TEST(ReadQueryTest, WhatIsNotThereHasDefaults) {
  for (const char* raw : {"", "sort=-x&fields=a&q=1&LIMIT=3", "other"}) {
    const auto query = readQuery(raw);
    ASSERT_TRUE(query) << raw;
    EXPECT_EQ(50u, query->limit);
    EXPECT_EQ(0u, query->skip);
    EXPECT_FALSE(query->filter);
    EXPECT_TRUE(query->expand.empty());
  }
}

TEST(ReadQueryTest, Numbers) {
  struct Case {
    const char* raw;
    uint64_t limit;
    uint64_t skip;
  };
  for (const Case& each : {Case{"limit=0", 0, 0}, Case{"limit=7&skip=12", 7, 12}, Case{"limit=007", 7, 0},
                           Case{"limit=5000", 5000, 0}, Case{"skip=1000000000000", 50, 1000000000000},
                           Case{"limit=99999999999999999999999", std::numeric_limits<int64_t>::max(), 0},
                           Case{"limit=1&limit=2", 1, 0}, Case{"l%69mit=4", 4, 0}}) {
    const auto query = readQuery(each.raw);
    ASSERT_TRUE(query) << each.raw;
    EXPECT_EQ(each.limit, query->limit) << each.raw;
    EXPECT_EQ(each.skip, query->skip) << each.raw;
  }
  for (const char* raw : {"limit=", "limit", "skip=", "limit=-1", "skip=-0", "limit=1.5", "limit=1e3", "limit=x",
                          "limit=0x10", "limit=%201", "limit=1%20", "limit=%2B1", "skip=true", "limit=1%00"}) {
    const auto query = readQuery(raw);
    ASSERT_FALSE(query) << raw;
    EXPECT_EQ(ErrorCode::invalidParam, query.error().code()) << raw;
  }
}

TEST(ReadQueryTest, Filters) {
  const auto query = readQuery("filter=%7B%22a%22%3A%7B%22%24gt%22%3A1%7D%7D");
  ASSERT_TRUE(query);
  EXPECT_EQ(R"({"a":{"$gt":1}})", doc::toJson(*query->filter));
  EXPECT_TRUE(readQuery("filter=%7B%7D")->filter);
  for (const char* raw : {"filter=", "filter=1", "filter=[]", "filter=null", "filter=%22x%22", "filter={",
                          "filter={a:1}", "filter={%22a%22:1,%22a%22:2}", "filter={}x"}) {
    const auto bad = readQuery(raw);
    ASSERT_FALSE(bad) << raw;
    EXPECT_EQ(ErrorCode::invalidFilter, bad.error().code()) << raw;
  }
  const auto deep = readQuery("filter=" + std::string(5000, '['));
  ASSERT_FALSE(deep);
  EXPECT_EQ(ErrorCode::invalidFilter, deep.error().code());
}

TEST(ReadQueryTest, Expand) {
  EXPECT_EQ((std::vector<std::string>{"a", "b.c"}), readQuery("expand=a,b.c")->expand);
  EXPECT_EQ((std::vector<std::string>{"a", "b"}), readQuery("expand=,%20a%20,,b,")->expand);
  EXPECT_TRUE(readQuery("expand=")->expand.empty());
}

}  // namespace
}  // namespace mb::api
