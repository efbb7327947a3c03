#include "store/mongo/pushed_filter.h"

#include <gtest/gtest.h>

#include "document/json.h"

namespace mb::store::mongo {
namespace {

// What is pushed of a filter on a user collection, with "…" behind it where the engine evaluates the rest.
std::string pushed(std::string_view filter) {
  const auto parsed = doc::Filter::parse(*doc::parseJson(filter));
  const PushedFilter out = pushFilter({7, kFirstUserCollection, 1}, *parsed);
  return doc::toJson(out.document) + (out.exact ? "" : "…");
}

TEST(PushedFilterTest, LeavesOutWhatTheServerEvaluatesOtherwise) {
  EXPECT_EQ(pushed(R"({"a":1})"), R"({"a":1})");
  EXPECT_EQ(pushed(R"({"a":{"$mod":[2,1]}})"), "{}…");
  EXPECT_EQ(pushed(R"({"a":1,"b":{"$mod":[2,1]}})"), R"({"a":1}…)");
  EXPECT_EQ(pushed(R"({"$or":[{"a":1},{"b":{"$mod":[2,1]}}]})"), "{}…");
  EXPECT_EQ(pushed(R"({"a":{"$not":{"$mod":[2,1]}}})"), "{}…");
  EXPECT_EQ(pushed(R"({"a":{"$regex":"^b"},"c":{"$in":[1,{"$regex":"^d"}]}})"), R"({"$and":[{"a":{"$regex":"^b"}}]}…)");
  EXPECT_EQ(pushed(R"({"a":{"$all":["b",{"$regex":"^c"}]}})"), "{}…");
}

TEST(PushedFilterTest, JoinsEqualitiesInOneObject) {
  const auto filter = doc::Filter::parse(*doc::parseJson(R"({"a":1,"b":"x"})"));
  const CollectionRef collection{7, kFirstUserCollection, 1};
  const doc::Document other = *doc::parseJson(R"({"c":3})");
  const doc::Document same = *doc::parseJson(R"({"a":4})");
  EXPECT_EQ(doc::toJson(pushFilter(collection, *filter, {other}).document), R"({"a":1,"b":"x","c":3})");
  EXPECT_EQ(doc::toJson(pushFilter(collection, *filter, {same}).document), R"({"$and":[{"a":1,"b":"x"},{"a":4}]})");
  EXPECT_EQ(pushed(R"({"a":1,"b":{"$gt":2}})"), R"({"$and":[{"a":1,"b":{"$gt":2}}]})");
  EXPECT_EQ(pushed(R"({"a":null})"), R"({"$and":[{"a":null}]})");
}

}  // namespace
}  // namespace mb::store::mongo
