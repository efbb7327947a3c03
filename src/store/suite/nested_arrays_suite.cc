// Arrays in arrays and empty ones: index entries, the order of a sort and the results of a filter are the same with the
// index and without.
#include "store/suite/store_suite.h"

namespace mb::store::suite {

namespace {

const std::vector<std::string>& nested() {
  static const std::vector<std::string> documents{R"({"id":"a"})",
                                                  R"({"id":"b","a":null})",
                                                  R"({"id":"c","a":[]})",
                                                  R"({"id":"d","a":[[]]})",
                                                  R"({"id":"e","a":[[5]]})",
                                                  R"({"id":"f","a":[[1,"x"],[7]]})",
                                                  R"({"id":"g","a":[5,[]]})",
                                                  R"({"id":"h","a":[{"b":1}]})",
                                                  R"({"id":"i","a":[{"b":[]},{"c":2}]})",
                                                  R"({"id":"j","a":[[{"b":1}]]})",
                                                  R"({"id":"k","a":5})",
                                                  R"({"id":"l","a":"x"})"};
  return documents;
}

}  // namespace

TEST_P(StoreSuite, NestedArraysSortAlikeWithAnIndex) {
  const CollectionRef plain = makeCollection("plain");
  CollectionRef indexed = makeCollection("indexed");
  for (const CollectionRef& collection : {plain, indexed}) ASSERT_TRUE(putAll(collection, nested()));
  for (const auto& keys : {std::vector<IndexKey>{{"a", 1}}, {{"a", -1}}, {{"a.b", 1}}, {{"a.b", 1}, {"a.c", 1}}}) {
    makeIndex(indexed, index(keys));
    for (const int direction : {1, -1}) {
      Query query;
      for (const IndexKey& key : keys) query.sort.push_back({key.path, key.direction * direction});
      EXPECT_EQ(ids(indexed, "{}", query), ids(plain, "{}", query)) << keys.front().path << direction;
    }
  }
}

TEST_P(StoreSuite, NestedArraysMatchAlikeWithAnIndex) {
  const CollectionRef plain = makeCollection("plain");
  CollectionRef indexed = makeCollection("indexed");
  for (const CollectionRef& collection : {plain, indexed}) ASSERT_TRUE(putAll(collection, nested()));
  for (const auto& keys : {std::vector<IndexKey>{{"a", 1}}, {{"a.0", 1}}, {{"a.b", 1}}})
    makeIndex(indexed, index(keys));
  for (const char* filter :
       {R"({"a":{"$elemMatch":{"$elemMatch":{"$lt":6}}}})",
        R"({"a":{"$elemMatch":{"$elemMatch":{"$lt":6}},"$lt":"y"}})",
        R"({"a":{"$elemMatch":{"$elemMatch":{"$eq":"x"}}}})", R"({"a":{"$elemMatch":{"$elemMatch":{"b":1}}}})",
        R"({"a":{"$elemMatch":{"0":5}}})", R"({"a":{"$elemMatch":{"0":{"$gte":5}}}})", R"({"a.0":5})", R"({"a":[]})",
        R"({"a":[5]})", R"({"a":{"$in":[[],[[5]],5]}})", R"({"a.b":null})", R"({"a.b":[]})"}) {
    EXPECT_EQ(ids(indexed, filter), ids(plain, filter)) << filter;
    EXPECT_EQ(count(indexed, filter), count(plain, filter)) << filter;
  }
}

}  // namespace mb::store::suite
