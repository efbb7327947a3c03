#include "introspection/index_plan.h"

#include <gtest/gtest.h>

#include "document/json.h"

namespace mb::introspection {
namespace {

TEST(IndexPlan, FiltersThatAServerTakes) {
  for (const char* filter :
       {"{}", R"({"a":1})", R"({"a":{"$gt":1,"$lte":9}})", R"({"a":{"$exists":true}})", R"({"a":{"b":1}})",
        R"({"$and":[{"a":{"$type":"string"}},{"$or":[{"b":1},{"b":{"$in":[2,3]}}]}]})"}) {
    EXPECT_TRUE(isPartialFilter(*doc::parseJson(filter))) << filter;
  }
}

TEST(IndexPlan, FiltersThatNoServerTakes) {
  for (const char* filter :
       {R"({"a":{"$ne":1}})", R"({"a":{"$exists":false}})", R"({"a":{"$not":{"$gt":1}}})", R"({"a":{"$regex":"x"}})",
        R"({"$nor":[{"a":1}]})", R"({"$or":[{"a":1},{"b":{"$nin":[2]}}]})", R"({"$and":[1]})"}) {
    EXPECT_FALSE(isPartialFilter(*doc::parseJson(filter))) << filter;
  }
}

}  // namespace
}  // namespace mb::introspection
