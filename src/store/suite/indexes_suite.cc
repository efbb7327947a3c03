#include "store/suite/store_suite.h"

namespace mb::store::suite {

namespace {

IndexSpec sparse(IndexSpec spec) {
  spec.sparse = true;
  return spec;
}

IndexSpec partial(IndexSpec spec, std::string_view filter) {
  spec.partialFilter = json(filter);
  return spec;
}

}  // namespace

TEST_P(StoreSuite, UniqueIndexesRefuseWhatIsTaken) {
  struct Case {
    const char* what;
    IndexSpec spec;
    std::vector<std::string> first;  // all accepted
    std::vector<std::string> taken;  // each refused
    std::vector<std::string> free;   // each accepted
  };
  const std::vector<Case> cases = {
      {"plain",
       uniqueIndex({{"a", 1}}),
       {R"({"id":"1","a":1})"},
       {R"({"id":"2","a":1})", R"({"id":"3","a":1.0})"},
       {R"({"id":"4","a":2})", R"({"id":"5","a":"1"})", R"({"id":"1","a":1,"b":2})"}},
      {"missing is null", uniqueIndex({{"a", 1}}), {R"({"id":"1"})"}, {R"({"id":"2","a":null})", R"({"id":"3"})"}, {}},
      {"sparse",
       sparse(uniqueIndex({{"a", 1}})),
       {R"({"id":"1"})", R"({"id":"2"})", R"({"id":"3","a":1})"},
       {R"({"id":"4","a":1})"},
       {R"({"id":"5"})"}},
      {"compound",
       uniqueIndex({{"a", 1}, {"b", -1}}),
       {R"({"id":"1","a":1,"b":1})"},
       {R"({"id":"2","a":1,"b":1})"},
       {R"({"id":"3","a":1,"b":2})", R"({"id":"4","a":2,"b":1})"}},
      {"elements of arrays",
       uniqueIndex({{"a", 1}}),
       {R"({"id":"1","a":[1,1,2]})"},
       {R"({"id":"2","a":2})", R"({"id":"3","a":[5,1]})"},
       {R"({"id":"4","a":[3,4]})"}},
      {"inside documents",
       uniqueIndex({{"a.b", 1}}),
       {R"({"id":"1","a":[{"b":1},{"b":2}]})"},
       {R"({"id":"2","a":{"b":2}})"},
       {R"({"id":"3","a":{"b":3}})"}},
      {"partial",
       partial(uniqueIndex({{"a", 1}}), R"({"on":true})"),
       {R"({"id":"1","a":1,"on":true})", R"({"id":"2","a":1})", R"({"id":"3","a":1,"on":false})"},
       {R"({"id":"4","a":1,"on":true})"},
       {R"({"id":"5","a":1})"}},
      {"long values",
       uniqueIndex({{"a", 1}}),
       {R"({"id":"1","a":")" + std::string(2000, 'x') + R"(1"})"},
       {R"({"id":"2","a":")" + std::string(2000, 'x') + R"(1"})"},
       {R"({"id":"3","a":")" + std::string(2000, 'x') + R"(2"})"}},
  };
  for (const Case& c : cases) {
    CollectionRef collection = makeCollection(fmt::format("c{}", &c - cases.data()));
    makeIndex(collection, c.spec);
    for (const std::string& each : c.first) ASSERT_TRUE(put(collection, each)) << c.what << each;
    for (const std::string& each : c.taken) EXPECT_NE(refusingIndex(put(collection, each)), "") << c.what << each;
    for (const std::string& each : c.free) EXPECT_TRUE(put(collection, each)) << c.what << each;
  }
  EXPECT_EQ(engine().problems(), std::vector<std::string>());
}

TEST_P(StoreSuite, AUniqueValueIsFreeOnceItsOwnerGivesItUp) {
  CollectionRef posts = makeCollection("posts");
  makeIndex(posts, uniqueIndex({{"slug", 1}}));
  ASSERT_TRUE(put(posts, R"({"id":"a","slug":"x"})"));
  ASSERT_TRUE(put(posts, R"({"id":"a","slug":"y"})"));
  ASSERT_TRUE(put(posts, R"({"id":"b","slug":"x"})"));
  ASSERT_TRUE(remove(posts, "b"));
  ASSERT_TRUE(put(posts, R"({"id":"c","slug":"x"})"));
  // Two documents swap their values in one write; two that claim the same value are refused.
  ASSERT_TRUE(putAll(posts, {R"({"id":"a","slug":"x"})", R"({"id":"c","slug":"y"})"}));
  EXPECT_EQ(ids(posts, R"({"slug":"x"})"), "a");
  EXPECT_NE(refusingIndex(putAll(posts, {R"({"id":"d","slug":"n"})", R"({"id":"e","slug":"n"})"})), "");
  EXPECT_EQ(engine().problems(), std::vector<std::string>());
}

TEST_P(StoreSuite, IndexesFollowEveryChange) {
  CollectionRef posts = makeCollection("posts");
  makeIndex(posts, index({{"tags", 1}}));
  ASSERT_TRUE(put(posts, R"({"id":"a","tags":["x","y","x"]})"));
  ASSERT_TRUE(put(posts, R"({"id":"b","tags":"y"})"));
  EXPECT_EQ(ids(posts, R"({"tags":"y"})"), "a b");
  ASSERT_TRUE(put(posts, R"({"id":"a","tags":["y","z"]})"));
  EXPECT_EQ(ids(posts, R"({"tags":"x"})"), "");
  EXPECT_EQ(ids(posts, R"({"tags":"z"})"), "a");
  ASSERT_TRUE(put(posts, R"({"id":"a","tags":[]})"));
  EXPECT_EQ(ids(posts, R"({"tags":"y"})"), "b");
  EXPECT_EQ(ids(posts, R"({"tags":{"$in":["y","z"]}})"), "b");
  ASSERT_TRUE(remove(posts, "b"));
  EXPECT_EQ(ids(posts, R"({"tags":"y"})"), "");
  EXPECT_EQ(engine().problems(), std::vector<std::string>());
}

TEST_P(StoreSuite, RefusesDocumentsThatAnIndexCannotHold) {
  CollectionRef posts = makeCollection("posts");
  makeIndex(posts, index({{"a", 1}, {"b", 1}}));
  const auto two = put(posts, R"({"id":"x","a":[1,2],"b":[1,2]})");
  ASSERT_FALSE(two);
  EXPECT_EQ(two.error().code(), ErrorCode::validation);
  std::string many = R"({"id":"x","a":[)";
  for (int i = 0; i < 1001; ++i) many += fmt::format("{}{}", i ? "," : "", i);
  const auto tooMany = put(posts, many + "]}");
  ASSERT_FALSE(tooMany);
  EXPECT_EQ(tooMany.error().code(), ErrorCode::validation);
  std::string same = R"({"id":"x","a":[)";
  for (int i = 0; i < 5000; ++i) same += fmt::format("{}{}", i ? "," : "", i % 7);
  EXPECT_TRUE(put(posts, same + "]}"));
  EXPECT_EQ(ids(posts, R"({"a":6})"), "x");
}

TEST_P(StoreSuite, AnIndexOverExistingDocumentsIsFilled) {
  CollectionRef posts = makeCollection("posts");
  for (int i = 0; i < 350; ++i) ASSERT_TRUE(put(posts, fmt::format(R"({{"id":"{:04}","n":{}}})", i, i % 10)));
  const IndexInfo made = makeIndex(posts, index({{"n", -1}}));
  EXPECT_TRUE(made.ready);
  EXPECT_EQ(made.spec.name, "n_-1");
  const QueryResult found = find(posts, R"({"n":3})", page(0, 5));
  if (engine().plansQueries()) EXPECT_EQ(found.explain.index, "n_-1");
  EXPECT_EQ(joinIds(found.documents), "0003 0013 0023 0033 0043");
  EXPECT_EQ(engine().problems(), std::vector<std::string>());
}

TEST_P(StoreSuite, AUniqueIndexOverDuplicatesLeavesNothingBehind) {
  CollectionRef posts = makeCollection("posts");
  for (int i = 0; i < 250; ++i) ASSERT_TRUE(put(posts, fmt::format(R"({{"id":"{:04}","n":{}}})", i, i % 249)));
  const auto refused = run(store().createIndex(posts, uniqueIndex({{"n", 1}}), {}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::conflict);
  posts = current(posts);
  EXPECT_TRUE(must(store().collections(project_)).front().indexes.empty());
  ASSERT_TRUE(put(posts, R"({"id":"more","n":5})"));
  EXPECT_EQ(count(posts, R"({"n":5})"), 2u);
  EXPECT_EQ(engine().problems(), std::vector<std::string>());
}

TEST_P(StoreSuite, RefusesIndexesThatAreNone) {
  CollectionRef posts = makeCollection("posts");
  makeIndex(posts, index({{"taken", 1}}));
  struct Case {
    IndexSpec spec;
    ErrorCode code;
  };
  IndexSpec named = index({{"x", 1}});
  named.name = "taken_1";
  IndexSpec expiring = index({{"a", 1}, {"b", 1}});
  expiring.expireAfterSeconds = 5;
  IndexSpec covering = uniqueIndex({{"a", 1}});
  covering.covering = true;
  IndexSpec both = index({{"a", 1}});
  both.covering = true;
  both.include = {"b"};
  IndexSpec damaged = index({{"a", 1}});
  damaged.include = {"b..c"};
  IndexSpec large = index({{"a", 1}});
  for (size_t i = 0; i <= kMaxIncluded; ++i) large.include.push_back(fmt::format("f{}", i));
  for (const Case& c : std::vector<Case>{{index({}), ErrorCode::validation},
                                         {index({{"", 1}}), ErrorCode::validation},
                                         {index({{"a", 2}}), ErrorCode::validation},
                                         {index({{"a", 1}, {"a", -1}}), ErrorCode::validation},
                                         {index({{"$a", 1}}), ErrorCode::validation},
                                         {expiring, ErrorCode::validation},
                                         {covering, ErrorCode::validation},
                                         {both, ErrorCode::validation},
                                         {damaged, ErrorCode::validation},
                                         {large, ErrorCode::validation},
                                         {partial(index({{"a", 1}}), R"({"$where":"1"})"), ErrorCode::invalidFilter},
                                         {named, ErrorCode::conflict}}) {
    const auto refused = run(store().createIndex(posts, c.spec, {}));
    ASSERT_FALSE(refused) << defaultIndexName(c.spec.keys);
    EXPECT_EQ(refused.error().code(), c.code) << refused.error().message();
  }
  EXPECT_EQ(run(store().dropIndex(posts, "none", {})).error().code(), ErrorCode::notFound);
  for (int i = 0; i < 63; ++i) makeIndex(posts, index({{fmt::format("f{}", i), 1}}));
  EXPECT_EQ(run(store().createIndex(posts, index({{"last", 1}}), {})).error().code(), ErrorCode::validation);
}

// Small documents, large ones, and ones with many entries, in an index created before them and one created after them.
TEST_P(StoreSuite, ACoveringIndexGivesDocumentsAsTheyAre) {
  CollectionRef posts = makeCollection("posts");
  IndexSpec covering = index({{"owner", 1}});
  covering.covering = true;
  makeIndex(posts, covering);
  const std::string large(6000, 'x');
  const std::string many = R"(["o","1","2","3","4","5","6","7","8","9"])";
  ASSERT_TRUE(put(posts, R"({"id":"a","owner":"o","n":1})"));
  ASSERT_TRUE(put(posts, R"({"id":"b","owner":"o","n":1,"text":")" + large + R"("})"));
  ASSERT_TRUE(put(posts, R"({"id":"c","owner":)" + many + R"(,"n":1})"));
  ASSERT_TRUE(put(posts, R"({"id":"d","owner":"other","n":1})"));
  covering.name = "after";
  covering.keys = {{"owner", -1}, {"n", 1}};
  makeIndex(posts, covering);
  const auto values = [&](std::vector<SortKey> sort = {}, uint64_t skip = 0) {
    Query query;
    query.sort = std::move(sort);
    query.skip = skip;
    std::string all;
    for (const doc::Document& document : find(posts, R"({"owner":"o"})", query).documents) {
      all += fmt::format("{}{} ", document.view().stringOr("id"), document.view().find("n")->asInteger());
    }
    return all;
  };
  EXPECT_EQ(values(), "a1 b1 c1 ");
  // The keys stay while the covered documents change; from large to small and back.
  ASSERT_TRUE(put(posts, R"({"id":"a","owner":"o","n":2})"));
  ASSERT_TRUE(put(posts, R"({"id":"b","owner":"o","n":3})"));
  EXPECT_EQ(values(), "a2 b3 c1 ");
  ASSERT_TRUE(put(posts, R"({"id":"a","owner":"o","n":4,"text":")" + large + R"("})"));
  ASSERT_TRUE(put(posts, R"({"id":"c","owner":"o","n":5})"));
  ASSERT_TRUE(remove(posts, "b"));
  EXPECT_EQ(values(), "a4 c5 ");
  EXPECT_EQ(values({{"owner", -1}}), "a4 c5 ");
  EXPECT_EQ(values({{"n", -1}}), "c5 a4 ");
  EXPECT_EQ(values({}, 1), "c5 ");
  EXPECT_EQ(engine().problems(), std::vector<std::string>());
}

// Each kind of index, one created before and one after most documents; small values, large ones, and arrays.
TEST_P(StoreSuite, IncludedFieldsFollowEveryChange) {
  CollectionRef posts = makeCollection("posts");
  IndexSpec plain = index({{"owner", 1}});
  plain.include = {"state", "by.team"};
  makeIndex(posts, plain);
  IndexSpec unique = uniqueIndex({{"owner", 1}, {"n", -1}});
  unique.include = {"state"};
  makeIndex(posts, unique);
  const std::string large(2000, 'x');
  ASSERT_TRUE(put(posts, R"({"id":"a","owner":"o","n":1,"state":"open","by":{"team":"t","more":1}})"));
  ASSERT_TRUE(put(posts, R"({"id":"b","owner":"o","n":2,"state":"shut","by":[{"team":"t"},{"x":1}]})"));
  ASSERT_TRUE(put(posts, R"({"id":"c","owner":"o","n":3,"state":["open",")" + large + R"("],"by":5})"));
  ASSERT_TRUE(put(posts, R"({"id":"d","owner":["o","p","q"],"n":4,"by":{"team":null}})"));
  IndexSpec sparse = index({{"n", 1}});
  sparse.name = "after";
  sparse.sparse = true;
  sparse.include = {"state", "by.team"};
  makeIndex(posts, sparse);
  IndexSpec only = partial(index({{"n", -1}, {"owner", 1}}), R"({"n":{"$gt":0}})");
  only.name = "only";
  only.include = {"state"};
  makeIndex(posts, only);
  const auto expect = [&](const char* filter, const char* found) {
    for (const char* way : {R"("owner":"o")", R"("n":{"$gt":0})", R"("n":{"$gte":0})"}) {
      const std::string whole = fmt::format("{{{},{}}}", way, filter);
      EXPECT_EQ(ids(posts, whole), found) << whole;
      EXPECT_EQ(count(posts, whole), ids(posts, whole).empty() ? 0 : (ids(posts, whole).size() + 1) / 2) << whole;
    }
  };
  expect(R"("state":"open")", "a c");
  expect(R"("state":{"$ne":"open"})", "b d");
  expect(R"("state":{"$exists":false})", "d");
  expect(R"("by.team":"t")", "a b");
  expect(R"("by.team":null)", "b c d");
  expect(R"("by":{"$type":"array"})", "b");
  expect(R"("$or":[{"state":"shut"},{"by.team":"t"}])", "a b");
  expect(R"("$nor":[{"state":"open"},{"by.team":null}])", "");
  // The keys stay while the held fields change; from small to large and back.
  ASSERT_TRUE(put(posts, R"({"id":"a","owner":"o","n":1,"state":"shut"})"));
  ASSERT_TRUE(put(posts, R"({"id":"b","owner":"o","n":2,"state":")" + large + R"("})"));
  ASSERT_TRUE(put(posts, R"({"id":"c","owner":"o","n":3,"state":"open"})"));
  expect(R"("state":"open")", "c");
  expect(R"("state":"shut")", "a");
  expect(R"("state":{"$nin":["open","shut"]})", "b d");
  EXPECT_NE(refusingIndex(put(posts, R"({"id":"e","owner":"o","n":1,"state":"open"})")), "");
  ASSERT_TRUE(remove(posts, "a"));
  ASSERT_TRUE(put(posts, R"({"id":"e","owner":"o","n":1,"state":"open"})"));
  expect(R"("state":"open")", "c e");
  EXPECT_EQ(engine().problems(), std::vector<std::string>());
}

TEST_P(StoreSuite, ADroppedIndexIsNoLongerKeptOrUsed) {
  CollectionRef posts = makeCollection("posts");
  makeIndex(posts, uniqueIndex({{"n", 1}}));
  ASSERT_TRUE(put(posts, R"({"id":"a","n":1})"));
  must(store().dropIndex(posts, "n_1", {}));
  posts = current(posts);
  ASSERT_TRUE(put(posts, R"({"id":"b","n":1})"));
  if (engine().plansQueries()) EXPECT_EQ(find(posts, R"({"n":1})").explain.index, "");
  EXPECT_EQ(ids(posts, R"({"n":1})"), "a b");
  ASSERT_TRUE(remove(posts, "b"));
  makeIndex(posts, uniqueIndex({{"n", 1}}));
  EXPECT_NE(refusingIndex(put(posts, R"({"id":"b","n":1})")), "");
  EXPECT_EQ(engine().problems(), std::vector<std::string>());
}

}  // namespace mb::store::suite
