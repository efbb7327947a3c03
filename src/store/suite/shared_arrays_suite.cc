// Compound indexes whose fields run through one array: an entry for each element, and the same results as a scan.
#include <random>

#include "store/suite/store_suite.h"

namespace mb::store::suite {

TEST_P(StoreSuite, FieldsThroughOneArrayAreIndexedByElement) {
  struct Case {
    const char* what;
    IndexSpec spec;
    const char* document;
    bool held;
  };
  const std::vector<Case> cases = {
      {"two of each element", index({{"p.x", 1}, {"p.y", 1}}), R"({"id":"d","p":[{"x":1,"y":2},{"x":3,"y":4}]})", true},
      {"the array and a part of it", index({{"p", 1}, {"p.x", 1}}), R"({"id":"d","p":[{"x":1},{"x":2}]})", true},
      {"one of them an array again", index({{"p.x", 1}, {"p.y", 1}}), R"({"id":"d","p":[{"x":[1,2],"y":2}]})", true},
      {"both arrays again", index({{"p.x", 1}, {"p.y", 1}}), R"({"id":"d","p":[{"x":[1,2],"y":[3,4]}]})", false},
      {"one array within", index({{"p.q.x", 1}, {"p.q.y", 1}}), R"({"id":"d","p":[{"q":[{"x":1,"y":2},{"x":2}]}]})",
       true},
      {"with a single value", index({{"n", 1}, {"p.x", -1}, {"p.y", 1}}), R"({"id":"d","n":1,"p":[{"x":1},{"y":2}]})",
       true},
      {"not all are documents", index({{"p.x", 1}, {"p.y", 1}}), R"({"id":"d","p":[1,{"x":1},[]]})", true},
      {"no element", index({{"p.x", 1}, {"p.y", 1}}), R"({"id":"d","p":[]})", true},
      {"two arrays of one document", index({{"p.x", 1}, {"q.x", 1}}), R"({"id":"d","p":[{"x":1}],"q":[{"x":1}]})",
       false},
      {"a position", index({{"p.0.x", 1}, {"p.y", 1}}), R"({"id":"d","p":[{"x":1,"y":1},{"y":2}]})", false},
  };
  for (const Case& c : cases) {
    // Refused by the write if the index exists, and by the build if the document exists.
    CollectionRef indexed = makeCollection(fmt::format("indexed{}", &c - cases.data()));
    makeIndex(indexed, c.spec);
    const auto written = put(indexed, c.document);
    EXPECT_EQ(written.has_value(), c.held) << c.what;
    if (!c.held && !written) EXPECT_EQ(written.error().code(), ErrorCode::validation) << c.what;
    CollectionRef filled = makeCollection(fmt::format("filled{}", &c - cases.data()));
    ASSERT_TRUE(put(filled, c.document));
    const auto built = run(store().createIndex(filled, c.spec, {}));
    EXPECT_EQ(built.has_value(), c.held) << c.what;
    if (!built) EXPECT_EQ(built.error().code(), ErrorCode::validation) << c.what;
  }
  EXPECT_EQ(engine().problems(), std::vector<std::string>());
}

TEST_P(StoreSuite, UniqueTuplesThroughOneArray) {
  CollectionRef orders = makeCollection("orders");
  makeIndex(orders, uniqueIndex({{"lines.sku", 1}, {"lines.lot", 1}}));
  ASSERT_TRUE(put(orders, R"({"id":"a","lines":[{"sku":1,"lot":1},{"sku":2,"lot":2}]})"));
  // The document has both values, but never together in one element.
  EXPECT_TRUE(put(orders, R"({"id":"b","lines":[{"sku":1,"lot":2},{"sku":2,"lot":1}]})"));
  EXPECT_NE(refusingIndex(put(orders, R"({"id":"c","lines":[{"sku":9,"lot":9},{"sku":2,"lot":2}]})")), "");
  EXPECT_EQ(engine().problems(), std::vector<std::string>());
}

TEST_P(StoreSuite, ArraysInArraysAreValuesOfTheirOwn) {
  CollectionRef things = makeCollection("things");
  makeIndex(things, uniqueIndex({{"a", 1}}));
  ASSERT_TRUE(put(things, R"({"id":"1","a":[[1,2]]})"));
  EXPECT_TRUE(put(things, R"({"id":"2","a":[[1,3],[]]})"));
  EXPECT_TRUE(put(things, R"({"id":"3","a":[]})"));
  EXPECT_TRUE(put(things, R"({"id":"4","a":[1]})"));
  EXPECT_NE(refusingIndex(put(things, R"({"id":"5","a":[7,[1,2]]})")), "");
  EXPECT_EQ(ids(things, R"({"a":[1,2]})"), "1");
  EXPECT_EQ(engine().problems(), std::vector<std::string>());
}

TEST_P(StoreSuite, QueriesThroughSharedArraysFindWhatAScanFinds) {
  std::mt19937 dice(7);
  const auto roll = [&](unsigned below) { return static_cast<int>(dice() % below); };
  const CollectionRef plain = makeCollection("plain");
  CollectionRef indexed = makeCollection("indexed");
  makeIndex(indexed, index({{"p.x", 1}, {"p.y", -1}}));
  makeIndex(indexed, index({{"n", 1}, {"p.y", 1}, {"p.x", 1}}));
  for (int i = 0; i < 120; ++i) {
    std::string document = fmt::format(R"({{"id":"{:03}","n":{},"p":)", i, roll(3));
    const auto part = [&] { return fmt::format(R"({{"x":{},"y":{}}})", roll(4), roll(4)); };
    if (roll(4) == 0) {
      document += part();
    } else {
      document += "[";
      for (int parts = roll(4); parts > 0; --parts) document += part() + (parts > 1 ? "," : "");
      document += "]";
    }
    document += "}";
    ASSERT_TRUE(put(plain, document));
    ASSERT_TRUE(put(indexed, document));
  }
  for (int i = 0; i < 200; ++i) {
    const std::array<std::string, 6> conditions = {fmt::format("{}", roll(4)),
                                                   fmt::format(R"({{"$gte":{}}})", roll(4)),
                                                   fmt::format(R"({{"$lt":{},"$gt":{}}})", roll(4), roll(4)),
                                                   fmt::format(R"({{"$in":[{},{}]}})", roll(4), roll(4)),
                                                   R"({"$exists":false})",
                                                   "null"};
    std::string filter = fmt::format(R"({{"p.x":{},"p.y":{})", conditions[static_cast<size_t>(roll(6))],
                                     conditions[static_cast<size_t>(roll(6))]);
    if (roll(2) == 0) filter += fmt::format(R"(,"n":{})", roll(3));
    if (roll(3) == 0) filter += fmt::format(R"(,"p":{{"$elemMatch":{{"x":{},"y":{}}}}})", roll(4), roll(4));
    filter += "}";
    EXPECT_EQ(ids(indexed, filter), ids(plain, filter)) << filter;
  }
  EXPECT_EQ(engine().problems(), std::vector<std::string>());
}

}  // namespace mb::store::suite
