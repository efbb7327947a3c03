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

TEST(PushedFilterTest, LeavesOutPartsOfAlternativesAndOfElements) {
  EXPECT_EQ(pushed(R"({"$or":[{"a":1},{"b":2,"c":{"$mod":[2,1]}}]})"), R"({"$and":[{"$or":[{"a":1},{"b":2}]}]}…)");
  EXPECT_EQ(pushed(R"({"$or":[{"a":1},{"$or":[{"b":2},{"c":{"$mod":[2,1]}}]}]})"), "{}…");
  EXPECT_EQ(pushed(R"({"$or":[{"a":1},{"$and":[{"c":{"$mod":[2,1]}},{"d":{"$mod":[2,1]}}]}]})"), "{}…");
  EXPECT_EQ(pushed(R"({"$nor":[{"a":1},{"b":2,"c":{"$mod":[2,1]}}]})"), "{}…");
  EXPECT_EQ(pushed(R"({"a":{"$not":{"$elemMatch":{"b":2,"c":{"$mod":[2,1]}}}}})"), "{}…");
  EXPECT_EQ(pushed(R"({"a":{"$elemMatch":{"b":2,"c":{"$mod":[2,1]}}}})"),
            R"({"$and":[{"a":{"$elemMatch":{"b":2}}}]}…)");
  EXPECT_EQ(pushed(R"({"a":{"$elemMatch":{"$gt":2,"$mod":[2,1]}}})"), R"({"$and":[{"a":{"$elemMatch":{"$gt":2}}}]}…)");
  EXPECT_EQ(pushed(R"({"a":{"$elemMatch":{"c":{"$mod":[2,1]}}}})"), "{}…");
  EXPECT_EQ(pushed(R"({"a":{"$all":[{"$elemMatch":{"b":2,"c":{"$mod":[2,1]}}}]}})"), "{}…");
}

TEST(PushedFilterTest, EvaluatesNullAtPathsOfSeveralNamesAgain) {
  EXPECT_EQ(pushed(R"({"a.b":null})"), R"({"$and":[{"a.b":null}]}…)");
  EXPECT_EQ(pushed(R"({"a.b":{"$in":[1,null]}})"), R"({"$and":[{"a.b":{"$in":[null,1]}}]}…)");
  EXPECT_EQ(pushed(R"({"a.b":{"$all":[null]}})"), R"({"$and":[{"a.b":{"$all":[null]}}]}…)");
  EXPECT_EQ(pushed(R"({"c":1,"a.b":{"$ne":null}})"), R"({"c":1}…)");
  EXPECT_EQ(pushed(R"({"$or":[{"c":1},{"a.b":null}]})"), R"({"$and":[{"$or":[{"c":1},{"a.b":null}]}]}…)");
  EXPECT_EQ(pushed(R"({"$nor":[{"c":1},{"a.b":null}]})"), "{}…");
  EXPECT_EQ(pushed(R"({"a":{"$elemMatch":{"b.c":null}}})"), R"({"$and":[{"a":{"$elemMatch":{"b.c":null}}}]}…)");
  EXPECT_EQ(pushed(R"({"a.0":{"$all":[null]}})"), "{}…");
  EXPECT_EQ(pushed(R"({"a.0":{"$in":[1,2]}})"), R"({"$and":[{"a.0":{"$in":[1,2]}}]})");
  EXPECT_EQ(pushed(R"({"a.b":{"$ne":1}})"), R"({"$and":[{"a.b":{"$ne":1}}]})");
  EXPECT_EQ(pushed(R"({"a":{"$ne":null}})"), R"({"$and":[{"a":{"$ne":null}}]})");
  EXPECT_EQ(pushed(R"({"a":{"$elemMatch":{"b":null}}})"), R"({"$and":[{"a":{"$elemMatch":{"b":null}}}]})");
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
