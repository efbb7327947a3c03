#include "data/coerced_filter.h"

#include <gtest/gtest.h>

#include "document/json.h"
#include "document/schema.h"

namespace mb::data {
namespace {

doc::Document parsed(std::string_view text) {
  auto document = doc::parseJson(text);
  EXPECT_TRUE(document) << text;
  return *std::move(document);
}

TEST(CoercedFilter, ConstantsTakeTheTypesOfTheirFields) {
  const auto schema = doc::Schema::compile(parsed(R"({"type":"object","properties":{
    "due":{"type":"string","x-bson":"date"},
    "price":{"type":"string","x-bson":"decimal"},
    "parts":{"type":"array","items":{"type":"object","properties":{"made":{"type":"string","x-bson":"date"}}}}}})"));
  ASSERT_TRUE(schema);
  const std::string day = R"("2026-03-01T00:00:00.000Z")";
  const std::string date = R"({"$date":"2026-03-01T00:00:00Z"})";
  struct Case {
    std::string given;
    std::string kept;  // the same filter with typed constants
  };
  for (const Case& each : {
           Case{"{}", "{}"},
           Case{R"({"title":)" + day + "}", R"({"title":)" + day + "}"},
           Case{R"({"due":)" + day + "}", R"({"due":)" + date + "}"},
           Case{R"({"createdAt":{"$gt":)" + day + "}}", R"({"createdAt":{"$gt":)" + date + "}}"},
           Case{R"({"due":{"$in":[)" + day + ",null]}}", R"({"due":{"$in":[)" + date + ",null]}}"},
           Case{R"({"due":{"$not":{"$lt":)" + day + "}}}", R"({"due":{"$not":{"$lt":)" + date + "}}}"},
           Case{R"({"due":{"$exists":true,"$gte":)" + day + "}}", R"({"due":{"$exists":true,"$gte":)" + date + "}}"},
           Case{R"({"due":{"$regex":"^2026"}})", R"({"due":{"$regex":"^2026"}})"},
           Case{R"({"$or":[{"due":)" + day + R"(},{"$and":[{"price":"1.5"}]}]})",
                R"({"$or":[{"due":)" + date + R"(},{"$and":[{"price":{"$numberDecimal":"1.5"}}]}]})"},
           Case{R"({"parts":{"$elemMatch":{"made":)" + day + R"(,"n":1}}})",
                R"({"parts":{"$elemMatch":{"made":)" + date + R"(,"n":1}}})"},
           Case{R"({"parts.made":{"$all":[)" + day + "]}}", R"({"parts.made":{"$all":[)" + date + "]}}"},
           Case{R"({"due":)" + date + "}", R"({"due":)" + date + "}"},
       }) {
    SCOPED_TRACE(each.given);
    ASSERT_TRUE(doc::Filter::parse(parsed(each.given), &(*schema)->coercion()));
    EXPECT_EQ(coercedFilter(parsed(each.given), (*schema)->coercion()), parsed(each.kept));
  }
}

}  // namespace
}  // namespace mb::data
