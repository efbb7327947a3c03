#include "base/clock.h"
#include "store/suite/store_suite.h"

namespace mb::store::suite {

namespace {

// The usage of an index; fails the test where it is missing.
IndexUsage of(const CollectionUsage& usage, const IndexInfo& index) {
  const auto found = std::ranges::find(usage.indexes, index.number, &IndexUsage::number);
  EXPECT_NE(found, usage.indexes.end());
  return found == usage.indexes.end() ? IndexUsage{} : *found;
}

std::vector<std::string> numbered(int from, int to, std::string_view format) {
  std::vector<std::string> all;
  for (int i = from; i < to; ++i) all.push_back(fmt::format(fmt::runtime(format), i));
  return all;
}

}  // namespace

TEST_P(StoreSuite, UsageCountsDocumentsAndEntries) {
  CollectionRef posts = makeCollection("posts");
  const CollectionRef empty = makeCollection("empty");
  const IndexInfo plain = makeIndex(posts, index({{"n", 1}}));
  const IndexInfo tags = makeIndex(posts, index({{"tags", 1}}));
  IndexSpec rare = index({{"rare", 1}});
  rare.sparse = true;
  const IndexInfo sparse = makeIndex(posts, rare);
  ASSERT_TRUE(putAll(posts, numbered(0, 10, R"({{"id":"d{0}","n":{0},"tags":["a","b","c"]}})")));
  ASSERT_TRUE(put(posts, R"({"id":"x","rare":1})"));
  ASSERT_TRUE(put({project_, kThings, 0}, R"({"id":"t","email":"a"})"));
  for (int round = 0; round < 2; ++round, engine().reopen()) {
    const std::vector<CollectionUsage> all = must(store().usage(project_));
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].number, posts.number);
    EXPECT_EQ(all[0].stats.documents, 11u);
    EXPECT_EQ(all[0].stats.bytes, must(store().stats(posts)).bytes);
    ASSERT_EQ(all[0].indexes.size(), 3u);
    EXPECT_EQ(of(all[0], plain).entries, 11u);
    EXPECT_EQ(all[1].number, empty.number);
    EXPECT_EQ(all[1].stats.documents, 0u);
    EXPECT_TRUE(all[1].indexes.empty());
    if (!engine().plansQueries()) continue;
    EXPECT_EQ(of(all[0], tags).entries, 31u);
    EXPECT_EQ(of(all[0], sparse).entries, 1u);
    for (const IndexUsage& each : all[0].indexes) {
      EXPECT_FALSE(each.approximate);
      EXPECT_GT(each.bytes, 8 * each.entries);
    }
  }
  must(store().dropCollection(current(posts), {}));
  EXPECT_EQ(must(store().usage(project_)).size(), 1u);
  EXPECT_TRUE(must(store().usage(must(store().allocateProject()))).empty());
}

TEST_P(StoreSuite, UsageOfLargeIndexesIsEstimated) {
  CollectionRef posts = makeCollection("posts");
  const IndexInfo plain = makeIndex(posts, index({{"n", 1}}));
  IndexSpec even = index({{"n", -1}});
  even.partialFilter = json(R"({"even":true})");
  const IndexInfo partial = makeIndex(posts, even);
  for (int from = 0; from < 400; from += 100) {
    ASSERT_TRUE(putAll(posts, numbered(from, from + 100, R"({{"id":"d{0}","n":{0}}})")));
  }
  for (int from = 0; from < 200; from += 100) {
    ASSERT_TRUE(putAll(posts, numbered(from, from + 100, R"({{"id":"e{0}","n":{0},"even":true}})")));
  }
  const CollectionUsage usage = must(store().usage(project_)).at(0);
  EXPECT_TRUE(of(usage, plain).approximate);
  EXPECT_EQ(of(usage, plain).entries, 600u);  // one for each document
  EXPECT_TRUE(of(usage, partial).approximate);
  EXPECT_GE(of(usage, partial).entries, 64u);  // as many were counted
  EXPECT_LE(of(usage, partial).entries, 600u);
}

TEST_P(StoreSuite, UsageKnowsTheLastWrite) {
  CollectionRef posts = makeCollection("posts");
  makeCollection("others");
  makeIndex(posts, index({{"n", 1}}));
  EXPECT_FALSE(must(store().usage(project_)).at(0).lastWrite);
  const int64_t before = SystemClock().now().ms;
  ASSERT_TRUE(put(posts, R"({"id":"a"})"));
  ASSERT_TRUE(put(posts, R"({"id":"a"})"));
  const int64_t after = SystemClock().now().ms;
  std::optional<Timestamp> first;
  for (int round = 0; round < 2; ++round, engine().reopen()) {
    const std::vector<CollectionUsage> all = must(store().usage(project_));
    ASSERT_TRUE(all.at(0).lastWrite);
    EXPECT_GE(all[0].lastWrite->ms, before);
    EXPECT_LE(all[0].lastWrite->ms, after);
    EXPECT_FALSE(all.at(1).lastWrite);
    if (first) EXPECT_EQ(first, all[0].lastWrite);
    first = all[0].lastWrite;
  }
}

}  // namespace mb::store::suite
