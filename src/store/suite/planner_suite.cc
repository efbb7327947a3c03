#include "store/suite/planner_suite.h"

#include <numeric>

namespace mb::store::suite {

void PlannerSuite::SetUp() {
  StoreSuite::SetUp();
  things_ = makeCollection("things");
  std::vector<std::string> batch;
  for (int n = 0; n < 600; ++n) {
    std::string more = n % 2 == 0 ? fmt::format(R"(,"opt":{})", n) : "";
    if (n % 3 == 0) more += R"(,"on":true)";
    batch.push_back(fmt::format(R"({{"id":"{:04}","n":{},"mod":{},"name":"n{}","tags":[{},{}],"at":{{"day":{}}}{}}})",
                                n, n, n % 10, n, n % 7, n % 11, n % 30, more));
    if (batch.size() < 100) continue;
    ASSERT_TRUE(putAll(things_, std::move(batch)));
    batch.clear();
  }
}

TEST_P(PlannerSuite, PicksTheIndexThatServes) {
  makeIndex(things_, index({{"mod", 1}}));
  makeIndex(things_, index({{"n", -1}}));
  makeIndex(things_, index({{"name", 1}}));
  makeIndex(things_, index({{"tags", 1}}));
  makeIndex(things_, index({{"at.day", 1}, {"mod", 1}}));
  IndexSpec sparse = index({{"opt", 1}});
  sparse.sparse = true;
  makeIndex(things_, sparse);
  IndexSpec partial = index({{"at", 1}, {"n", 1}});
  partial.partialFilter = json(R"({"on":true})");
  makeIndex(things_, partial);

  struct Case {
    const char* filter;
    const char* index;
    uint64_t matches;
    uint64_t maxKeys;
    uint64_t maxDocuments;
  };
  for (const Case& c : std::vector<Case>{
           {R"({"id":"0005"})", "id", 1, 0, 1},
           {R"({"id":{"$in":["0005","0007","none"]}})", "id", 2, 0, 3},
           {R"({"id":{"$gte":"0100","$lt":"0105"}})", "id", 5, 0, 5},
           {R"({"id":5})", "id", 0, 0, 0},
           {"{}", "", 600, 0, 600},
           {R"({"none":1})", "", 0, 0, 600},
           {R"({"mod":{"$ne":1}})", "", 540, 0, 600},
           {R"({"mod":3})", "mod_1", 60, 60, 60},
           {R"({"mod":{"$in":[3,4]}})", "mod_1", 120, 120, 120},
           {R"({"mod":{"$in":[]}})", "mod_1", 0, 0, 0},
           {R"({"mod":3,"id":{"$gt":"0300"}})", "mod_1", 30, 30, 30},
           {R"({"n":{"$gt":10,"$lte":20}})", "n_-1", 10, 10, 10},
           {R"({"n":{"$gte":590}})", "n_-1", 10, 10, 10},
           {R"({"n":{"$lt":7}})", "n_-1", 7, 7, 7},
           {R"({"n":{"$lt":7.5}})", "n_-1", 8, 8, 8},
           {R"({"mod":3,"n":33})", "n_-1", 1, 1, 1},
           {R"({"$and":[{"mod":3},{"n":{"$lt":5}}]})", "n_-1", 1, 5, 5},
           {R"({"name":{"$regex":"^n59"}})", "name_1", 11, 11, 11},
           {R"({"name":{"$gte":"n5","$lt":"n51"}})", "name_1", 12, 12, 12},
           {R"({"tags":10})", "tags_1", 54, 54, 54},
           {R"({"tags":{"$gte":9}})", "tags_1", 108, 110, 108},
           {R"({"tags":{"$all":[6,10]}})", "tags_1", 7, 135, 135},
           {R"({"tags":{"$elemMatch":{"$gte":9,"$lt":10}}})", "tags_1", 54, 54, 54},
           {R"({"tags":[0,0]})", "", 8, 0, 600},
           {R"({"at.day":5})", "at.day_1_mod_1", 20, 20, 20},
           {R"({"at.day":5,"mod":5})", "at.day_1_mod_1", 20, 20, 20},
           {R"({"at.day":5,"mod":{"$gt":5}})", "at.day_1_mod_1", 0, 0, 0},
           {R"({"at.day":{"$in":[1,2]},"mod":{"$in":[1,5]}})", "at.day_1_mod_1", 20, 20, 20},
           {R"({"opt":{"$gte":590}})", "opt_1", 5, 5, 5},
           {R"({"opt":null})", "", 300, 0, 600},
           {R"({"on":true,"at":{"day":3}})", "at_1_n_1", 20, 20, 20},
           {R"({"at":{"day":3}})", "", 20, 0, 600},
       }) {
    Query query;
    query.limit = 1000;
    const QueryResult found = find(things_, c.filter, query);
    EXPECT_EQ(found.explain.index, c.index) << c.filter;
    EXPECT_EQ(found.documents.size(), c.matches) << c.filter;
    EXPECT_LE(found.explain.keysExamined, c.maxKeys) << c.filter;
    EXPECT_LE(found.explain.documentsExamined, c.maxDocuments) << c.filter;
    EXPECT_TRUE(std::is_sorted(found.documents.begin(), found.documents.end(),
                               [](const doc::Document& a, const doc::Document& b) {
                                 return a.view().stringOr("id") < b.view().stringOr("id");
                               }))
        << c.filter;
    EXPECT_EQ(count(things_, c.filter), c.matches) << c.filter;
  }
}

TEST_P(PlannerSuite, StopsEarlyWhereTheOrderAllowsIt) {
  makeIndex(things_, index({{"mod", 1}}));
  const QueryResult found = find(things_, R"({"mod":3})", page(5, 3));
  EXPECT_EQ(joinIds(found.documents), "0053 0063 0073");
  EXPECT_LE(found.explain.keysExamined, 8u);
  EXPECT_EQ(found.explain.documentsExamined, 3u);
}

TEST_P(PlannerSuite, ReadsNoDocumentWhereKeysTellTheIds) {
  makeIndex(things_, index({{"mod", 1}}));
  Query query = page(5, 3);
  query.projection = Projection::ids;
  QueryResult found = find(things_, R"({"mod":3})", query);
  EXPECT_EQ(found.documents.front(), json(R"({"id":"0053"})"));
  EXPECT_EQ(joinIds(found.documents), "0053 0063 0073");
  EXPECT_EQ(found.explain.documentsExamined, 0u);
  query.projection = Projection::unorderedIds;
  found = find(things_, R"({"mod":3})", query);
  EXPECT_TRUE(found.known);
  EXPECT_EQ(found.documents.size(), 3u);
  EXPECT_EQ(found.explain.documentsExamined, 0u);
  for (const std::string_view filter : {R"({"n":3})", R"({"mod":3,"n":3})", "{}"}) {
    found = find(things_, filter, query);
    EXPECT_FALSE(found.known) << filter;
    EXPECT_TRUE(found.documents.empty()) << filter;
    EXPECT_EQ(found.explain.documentsExamined, 0u) << filter;
  }
}

TEST_P(PlannerSuite, TakesTheOrderFromAnIndex) {
  makeIndex(things_, index({{"mod", 1}, {"n", -1}}));
  Query query;
  query.sort = {{"n", -1}};
  query.limit = 3;
  QueryResult found = find(things_, R"({"mod":3})", query);
  EXPECT_EQ(joinIds(found.documents), "0593 0583 0573");
  EXPECT_EQ(found.explain.index, "mod_1_n_-1");
  EXPECT_LE(found.explain.keysExamined, 4u);
  query.sort = {{"n", 1}};
  found = find(things_, R"({"mod":3})", query);
  EXPECT_EQ(joinIds(found.documents), "0003 0013 0023");
}

TEST_P(PlannerSuite, APageOfManyPointsCostsAPage) {
  makeIndex(things_, index({{"n", -1}}));
  IndexSpec covering = index({{"mod", 1}});
  covering.covering = true;
  makeIndex(things_, covering);
  std::vector<int> even;
  std::vector<std::string> ids;
  for (int n = 0; n < 600; n += 2) {
    even.push_back(n);
    ids.push_back(fmt::format("{:04}", n));
  }
  const std::string points = fmt::format(R"({{"n":{{"$in":[{}]}}}})", fmt::join(even, ","));
  Query query;
  query.limit = 3;
  QueryResult found = find(things_, points, query);
  EXPECT_EQ(joinIds(found.documents), "0000 0002 0004");
  // So many documents match that the first ones in the order of ids are read instead of the starts of 300 ranges.
  EXPECT_EQ(found.explain.keysExamined, 0u);
  EXPECT_LE(found.explain.documentsExamined, 5u);
  // If the first ones do not match, the ranges are read after a few documents.
  std::vector<int> late(300);
  std::iota(late.begin(), late.end(), 300);
  found = find(things_, fmt::format(R"({{"n":{{"$in":[{}]}}}})", fmt::join(late, ",")), query);
  EXPECT_EQ(joinIds(found.documents), "0300 0301 0302");
  EXPECT_LE(found.explain.keysExamined, 4u);
  EXPECT_LE(found.explain.documentsExamined, 80u);
  query.limit = 1000;
  found = find(things_, points, query);
  EXPECT_EQ(joinIds(found.documents), fmt::format("{}", fmt::join(ids, " ")));
  EXPECT_EQ(found.explain.keysExamined, 300u);
  // Ranges of sixty entries each, which are read in several batches.
  found = find(things_, R"({"mod":{"$in":[0,2,4,6,8]}})", query);
  EXPECT_EQ(joinIds(found.documents), fmt::format("{}", fmt::join(ids, " ")));
  query.skip = 250;
  query.limit = 2;
  EXPECT_EQ(joinIds(find(things_, R"({"mod":{"$in":[0,2,4,6,8]}})", query).documents), "0500 0502");
}

TEST_P(PlannerSuite, WhatEntriesHoldKeepsDocumentsFromBeingRead) {
  IndexSpec including = index({{"mod", 1}});
  including.include = {"on", "tags", "n"};
  makeIndex(things_, including);
  IndexSpec sorted = index({{"n", -1}});
  sorted.include = {"on", "mod"};
  makeIndex(things_, sorted);
  IndexSpec multikey = index({{"tags", 1}});
  multikey.include = {"on"};
  makeIndex(things_, multikey);
  struct Case {
    const char* filter;
    std::vector<SortKey> sort;
    uint64_t limit;
    const char* found;
    uint64_t documents;
    uint64_t idDocuments;  // if ids are requested
  };
  for (const Case& c : std::vector<Case>{
           {R"({"mod":3,"on":true})", {}, 3, "0003 0033 0063", 3, 0},
           {R"({"mod":3,"on":true})", {}, 1000, nullptr, 20, 0},
           {R"({"mod":3,"on":{"$ne":true},"n":{"$gt":100}})", {}, 1000, nullptr, 34, 0},
           {R"({"mod":3,"on":true,"name":"n33"})", {}, 1000, "0033", 20, 20},
           {R"({"mod":3,"$or":[{"on":true,"n":{"$lt":4}},{"tags":{"$all":[6,10]}}]})", {}, 1000, "0003 0153", 2, 0},
           {R"({"on":true})", {{"n", -1}}, 3, "0597 0594 0591", 3, 0},
           {R"({"on":true,"mod":{"$in":[3,4]},"n":{"$lt":590}})", {{"n", -1}}, 2, "0573 0564", 2, 0},
           {R"({"tags":{"$gte":9},"on":true})", {}, 1000, nullptr, 36, 0},
           {R"({"$or":[{"mod":3},{"tags":10}],"on":true})", {}, 1000, nullptr, 36, 36},
       }) {
    Query query;
    query.limit = c.limit;
    query.sort = c.sort;
    QueryResult found = find(things_, c.filter, query);
    EXPECT_NE(found.explain.index, "") << c.filter;
    if (c.found) EXPECT_EQ(joinIds(found.documents), c.found) << c.filter;
    EXPECT_EQ(found.explain.documentsExamined, c.documents) << c.filter << " through " << found.explain.index;
    const std::string named = joinIds(found.documents);
    query.projection = Projection::ids;
    found = find(things_, c.filter, query);
    EXPECT_EQ(joinIds(found.documents), named) << c.filter;
    EXPECT_LE(found.explain.documentsExamined, c.idDocuments) << c.filter << " through " << found.explain.index;
  }
  Query query;
  query.skip = 17;
  EXPECT_EQ(joinIds(find(things_, R"({"mod":3,"on":true})", query).documents), "0513 0543 0573");
  EXPECT_EQ(count(things_, R"({"mod":3,"on":true})"), 20u);
}

TEST_P(PlannerSuite, CountsNoIdsWithoutDocuments) {
  EXPECT_EQ(count(things_, R"({"$or":[{"id":"0001"},{"id":"none"}]})"), 1u);
  Query query;
  query.projection = Projection::ids;
  EXPECT_EQ(joinIds(find(things_, R"({"$or":[{"id":"0001"},{"id":"none"}]})", query).documents), "0001");
}

TEST_P(PlannerSuite, ReadsAnIndexFromEitherEnd) {
  makeIndex(things_, index({{"mod", 1}, {"n", -1}}));
  makeIndex(things_, index({{"at.day", 1}}));
  struct Case {
    const char* filter;
    std::vector<SortKey> sort;
    const char* ids;
    const char* index;
    uint64_t maxKeys;
  };
  for (const Case& c : std::vector<Case>{
           {R"({"mod":3})", {{"n", 1}}, "0003 0013 0023", "mod_1_n_-1", 4},
           {R"({"mod":3})", {{"n", -1}, {"id", 1}, {"name", 1}}, "0593 0583 0573", "mod_1_n_-1", 4},
           {R"({"mod":3,"n":{"$lt":100}})", {{"n", -1}}, "0093 0083 0073", "mod_1_n_-1", 4},
           {R"({"mod":3})", {{"mod", -1}, {"n", 1}}, "0003 0013 0023", "mod_1_n_-1", 4},
           // Both keys reversed: the index is read from its end. One of them reversed: the index is not usable.
           {"{}", {{"mod", -1}, {"n", 1}}, "0009 0019 0029", "mod_1_n_-1", 4},
           {"{}", {{"mod", 1}, {"n", -1}}, "0590 0580 0570", "mod_1_n_-1", 4},
           {"{}", {{"mod", 1}, {"n", 1}}, "0000 0010 0020", "mod_1_n_-1", 192},
           // Several points: their ranges are merged.
           {R"({"mod":{"$in":[3,4]}})", {{"n", -1}}, "0594 0593 0584", "mod_1_n_-1", 6},
           {R"({"mod":{"$in":[3,4]}})", {{"mod", 1}, {"n", -1}}, "0593 0583 0573", "mod_1_n_-1", 4},
           // Equal values are in the order of ids, from either end.
           {"{}", {{"at.day", 1}}, "0000 0030 0060", "at.day_1", 4},
           {"{}", {{"at.day", -1}}, "0029 0059 0089", "at.day_1", 4},
           {"{}", {{"at.day", -1}, {"id", -1}}, "0599 0569 0539", "at.day_1", 4},
           {R"({"at.day":{"$lt":29}})", {{"at.day", -1}}, "0028 0058 0088", "at.day_1", 4},
           // The first key from the index; documents with equal values are sorted in memory.
           {"{}", {{"at.day", -1}, {"n", -1}}, "0599 0569 0539", "at.day_1", 192},
           {R"({"at.day":7})", {{"id", -1}}, "0577 0547 0517", "at.day_1", 4},
           {"{}", {{"id", -1}}, "0599 0598 0597", "", 0},
           {R"({"id":{"$lt":"0100"}})", {{"id", -1}}, "0099 0098 0097", "id", 0},
       }) {
    Query query;
    query.sort = c.sort;
    query.limit = 3;
    const QueryResult found = find(things_, c.filter, query);
    const std::string about = fmt::format("{} by {} {}", c.filter, c.sort.front().path, c.sort.front().direction);
    EXPECT_EQ(joinIds(found.documents), c.ids) << about;
    EXPECT_EQ(found.explain.index, c.index) << about;
    EXPECT_LE(found.explain.keysExamined, c.maxKeys) << about;
  }
}

TEST_P(PlannerSuite, TakesAnIndexForEachBranchOfAnOr) {
  makeIndex(things_, index({{"mod", 1}}));
  makeIndex(things_, index({{"n", 1}}));
  makeIndex(things_, index({{"name", 1}}));
  makeIndex(things_, index({{"tags", 1}}));
  struct Case {
    const char* filter;
    const char* index;
    uint64_t matches;
    uint64_t maxKeys;
  };
  for (const Case& c : std::vector<Case>{
           {R"({"$or":[{"mod":3},{"n":5}]})", "mod_1, n_1", 61, 61},
           {R"({"$or":[{"mod":3},{"n":13}]})", "mod_1, n_1", 60, 61},
           {R"({"$or":[{"mod":3},{"mod":4}]})", "mod_1", 120, 120},
           {R"({"$or":[{"n":{"$lt":5}},{"n":{"$gte":595}},{"id":"0300"}]})", "n_1, id", 11, 11},
           {R"({"$or":[{"name":{"$regex":"^n59"}},{"tags":10}]})", "name_1, tags_1", 64, 65},
           {R"({"$or":[{"mod":3},{"n":5}],"at.day":5})", "mod_1, n_1", 1, 61},
           {R"({"$or":[{"mod":3},{"n":5}],"n":{"$lt":20}})", "n_1", 3, 20},
           {R"({"$and":[{"$or":[{"mod":3},{"mod":4}]},{"at.day":3}]})", "mod_1", 20, 120},
           {R"({"$or":[{"mod":3,"at.day":3},{"$or":[{"n":1},{"n":2}]}]})", "mod_1, n_1", 22, 62},
           {R"({"$or":[{"$and":[{"mod":3}]}]})", "mod_1", 60, 60},
           // A branch without an index: the collection is scanned.
           {R"({"$or":[{"mod":3},{"at.day":5}]})", "", 80, 0},
           {R"({"$or":[{"mod":3},{}]})", "", 600, 0},
           {R"({"$nor":[{"mod":3},{"n":5}]})", "", 539, 0},
       }) {
    Query query;
    query.limit = 1000;
    const QueryResult found = find(things_, c.filter, query);
    EXPECT_EQ(found.explain.index, c.index) << c.filter;
    EXPECT_EQ(found.documents.size(), c.matches) << c.filter;
    EXPECT_LE(found.explain.keysExamined, c.maxKeys) << c.filter;
    EXPECT_EQ(count(things_, c.filter), c.matches) << c.filter;
  }
  const QueryResult some = find(things_, R"({"$or":[{"mod":3},{"mod":4},{"n":5}]})", page(1, 3));
  EXPECT_EQ(joinIds(some.documents), "0004 0005 0013");
  EXPECT_LE(some.explain.keysExamined, 6u);
}

TEST_P(PlannerSuite, UsesPartialAndSparseIndexesOnlyWhereTheyHoldAllMatches) {
  IndexSpec high = index({{"n", 1}});
  high.name = "high";
  high.partialFilter = json(R"({"n":{"$gte":500}})");
  makeIndex(things_, high);
  IndexSpec named = index({{"mod", 1}});
  named.name = "named";
  named.partialFilter = json(R"({"name":{"$regex":"^n5"},"mod":{"$in":[1,2,3]}})");
  makeIndex(things_, named);
  IndexSpec sparse = index({{"opt", 1}});
  sparse.sparse = true;
  makeIndex(things_, sparse);
  struct Case {
    const char* filter;
    const char* index;
    uint64_t matches;
  };
  for (const Case& c : std::vector<Case>{
           {R"({"n":{"$gte":500}})", "high", 100},
           {R"({"n":{"$gt":500}})", "high", 99},
           {R"({"n":{"$gte":590,"$lt":595}})", "high", 5},
           {R"({"n":{"$in":[500,600]}})", "high", 1},
           {R"({"n":512.0})", "high", 1},
           {R"({"n":{"$gte":499}})", "", 101},
           {R"({"n":{"$in":[499,512]}})", "", 2},
           {R"({"n":"512"})", "", 0},
           {R"({"mod":2,"name":{"$regex":"^n5"}})", "named", 11},
           {R"({"mod":2,"name":{"$regex":"^n59"}})", "named", 1},
           {R"({"mod":4,"name":{"$regex":"^n5"}})", "", 11},
           {R"({"mod":2,"name":{"$regex":"^n"}})", "", 60},
           {R"({"opt":{"$gt":590}})", "opt_1", 4},
           {R"({"opt":{"$ne":5}})", "", 600},
       }) {
    Query query;
    query.limit = 1000;
    const QueryResult found = find(things_, c.filter, query);
    EXPECT_EQ(found.explain.index, c.index) << c.filter;
    EXPECT_EQ(found.documents.size(), c.matches) << c.filter;
  }
  Query sorted;
  sorted.sort = {{"opt", 1}};
  sorted.limit = 2;
  EXPECT_EQ(joinIds(find(things_, "{}", sorted).documents), "0001 0003");
}

TEST_P(PlannerSuite, ChoosesByCountingAndChangesItsMind) {
  makeIndex(things_, index({{"mod", 1}}));
  makeIndex(things_, index({{"tags", 1}}));
  // 60 keys of the one index against 86 of the other, and then the reverse: a choice that is remembered for the shape
  // is replaced soon when it reads too many keys.
  EXPECT_EQ(find(things_, R"({"mod":3,"tags":0})").explain.index, "mod_1");
  std::vector<std::string> batch;
  for (int i = 0; i < 3000; ++i) {
    batch.push_back(fmt::format(R"({{"id":"y{:05}","mod":3,"tags":[{}]}})", i, i < 5 ? 77 : 78));
    if (batch.size() < 100) continue;
    ASSERT_TRUE(putAll(things_, std::move(batch)));
    batch.clear();
  }
  const QueryResult found = find(things_, R"({"mod":3,"tags":77})", page(0, 10));
  EXPECT_EQ(joinIds(found.documents), "y00000 y00001 y00002 y00003 y00004");
  EXPECT_EQ(found.explain.index, "tags_1");
  EXPECT_EQ(find(things_, R"({"mod":5,"tags":78})").documents.size(), 0u);
}

TEST_P(PlannerSuite, LooksInOrderOfIdWhereAnIndexHoldsNearlyAll) {
  std::vector<std::string> batch;
  for (int i = 0; i < 4000; ++i) {
    batch.push_back(fmt::format(R"({{"id":"x{:05}","n":{}}})", i, 1000 + i));
    if (batch.size() < 100) continue;
    ASSERT_TRUE(putAll(things_, std::move(batch)));
    batch.clear();
  }
  makeIndex(things_, index({{"n", 1}}));
  QueryResult found = find(things_, R"({"n":{"$gte":5}})", page(0, 3));
  EXPECT_EQ(joinIds(found.documents), "0005 0006 0007");
  EXPECT_LT(found.explain.keysExamined, 2100u);
  found = find(things_, R"({"n":{"$gte":1000},"id":{"$ne":"x00001"}})", page(0, 2));
  EXPECT_EQ(joinIds(found.documents), "x00000 x00002");
  EXPECT_EQ(count(things_, R"({"n":{"$gte":5}})"), 4595u);
}

TEST_P(PlannerSuite, ALongScanStopsAtItsDeadline) {
  Query query;
  query.collection = things_;
  query.filter = filterOf(R"({"none":1})");
  query.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  const auto late = run(store().find(query));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code(), ErrorCode::unavailable);
}

}  // namespace mb::store::suite
