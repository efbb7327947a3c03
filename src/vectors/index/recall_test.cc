// Recall of walks, measured against a plain loop; by walk(), so that no scan replaces the walk.
#include <gtest/gtest.h>

#include "base/testing.h"
#include "vectors/index/graph_probe.h"
#include "vectors/index/vectors_fixture.h"

namespace mb::vectors {

namespace {

constexpr size_t kQueries = 30;

struct Collection {
  explicit Collection(const IndexOptions& options) : index(options) {}

  void put(const std::string& id, Floats vector) {
    ASSERT_TRUE(index.put(id, vector));
    documents[id] = std::move(vector);
  }
  void remove(const std::string& id) {
    ASSERT_TRUE(index.remove(id));
    documents.erase(id);
  }
  // Recall of the ten nearest to each query, among one vector in `oneIn`; by walk(), or by nearest().
  double recallOf(const std::vector<Floats>& queries, size_t oneIn = 1, bool walked = true, size_t ef = 0) const {
    const View view = index.view();
    std::vector<std::string> ids;
    const auto allows = [&](const std::string& id) { return std::hash<std::string>()(id) % oneIn == 0; };
    for (const auto& [id, vector] : documents) {
      if (allows(id)) ids.push_back(id);
    }
    const SlotSet within = view.slotsOf(ids);
    const Search search = {.ef = ef, .within = oneIn > 1 ? &within : nullptr};
    double sum = 0;
    for (const Floats& query : queries) {
      const auto hits = walked ? view.walk(query, search) : view.nearest(query, search);
      sum += recall(plainNearest(index.options().metric, documents, query, 10, allows), *hits);
    }
    return sum / static_cast<double>(queries.size());
  }

  VectorIndex index;
  Documents documents;
};

void expectGood(const Collection& collection, const std::vector<Floats>& queries, const std::string& when) {
  for (const size_t oneIn : {1, 10, 100, 1000}) {
    const double found = collection.recallOf(queries, oneIn);
    EXPECT_GE(found, 0.95) << when << ", one in " << oneIn;
    std::printf("  %s, one in %zu: recall %.4f\n", when.c_str(), oneIn, found);
    EXPECT_GE(collection.recallOf(queries, oneIn, false), found) << when << ", one in " << oneIn;
  }
  EXPECT_EQ(GraphProbe::problem(collection.index), "");
  EXPECT_EQ(GraphProbe::reachable(collection.index), collection.documents.size()) << when;
}

struct Space {
  Metric metric;
  size_t dimensions;
};
class Recall : public testing::TestWithParam<Space> {};

TEST_P(Recall, StaysGoodUnderFiltersUpdatesAndRemovals) {
  const auto [metric, dimensions] = GetParam();
  const size_t vectors = randomCases("MB_RECALL_VECTORS", 2000);
  Collection collection({.dimensions = dimensions, .metric = metric, .efSearch = 100});
  Texts texts(dimensions, 100, 24, 7);
  for (size_t i = 0; i < vectors; ++i) collection.put(fmt::format("doc{:06}", i), texts.next());
  const std::vector<Floats> queries = texts.many(kQueries);
  expectGood(collection, queries, "as built");
  for (size_t i = 0; i < vectors; i += 10) {
    for (size_t k = 0; k < 3; ++k) collection.put(fmt::format("doc{:06}", i + k), texts.next());
  }
  expectGood(collection, queries, "30 % updated");
  for (size_t i = 0; i < vectors; i += 10) {
    for (size_t k = 2; k < 5; ++k) collection.remove(fmt::format("doc{:06}", i + k));
  }
  expectGood(collection, queries, "30 % removed");
  EXPECT_LT(GraphProbe::stillThere(collection.index), collection.documents.size() / 5);
}

INSTANTIATE_TEST_SUITE_P(Metrics, Recall,
                         testing::Values(Space{Metric::cosine, 384}, Space{Metric::dot, 128},
                                         Space{Metric::euclidean, 128}));

TEST(RecallOf, NoiseIsGoodWithMoreCandidates) {
  Collection collection({.dimensions = 32, .metric = Metric::cosine, .efSearch = 300});
  auto vectors = noise(4000, 32, 11);
  for (size_t i = 0; i < vectors.size(); ++i) collection.put(std::to_string(i), std::move(vectors[i]));
  EXPECT_GE(collection.recallOf(noise(kQueries, 32, 12)), 0.95);
}

TEST(RecallOf, LengthsThatDifferAHundredfoldIsGoodByDotProduct) {
  Collection collection({.dimensions = 64, .metric = Metric::dot, .efSearch = 100});
  auto vectors = noise(5000, 64, 13);
  std::mt19937 random(14);
  std::uniform_real_distribution<float> power(-1, 1);
  for (size_t i = 0; i < vectors.size(); ++i) {
    const float scale = std::pow(10.0F, power(random));
    for (float& value : vectors[i]) value *= scale;
    collection.put(std::to_string(i), std::move(vectors[i]));
  }
  const auto queries = noise(kQueries, 64, 15);
  EXPECT_GE(collection.recallOf(queries), 0.95);
}

TEST(RecallOf, DuplicatesAndZeroVectorsAllAreFound) {
  Collection collection({.dimensions = 16, .metric = Metric::cosine, .efSearch = 100});
  const auto centres = noise(10, 16, 17);
  const auto others = noise(2000, 16, 18);
  for (size_t i = 0; i < 4000; ++i) {
    collection.put(fmt::format("same{}", i), centres[i % 10]);
    if (i % 2 == 0) collection.put(fmt::format("other{}", i), others[i / 2]);
    if (i % 10 == 0) collection.put(fmt::format("zero{}", i), Floats(16));
  }
  EXPECT_EQ(GraphProbe::problem(collection.index), "");
  EXPECT_EQ(GraphProbe::reachable(collection.index), collection.documents.size());
  EXPECT_EQ(collection.recallOf(centres), 1);
  // A hundred candidates may all be of four hundred equal vectors, so more are needed.
  EXPECT_GE(collection.recallOf(noise(kQueries, 16, 19), 1, true, 500), 0.95);
  // A walk that must continue until it finds one of four hundred equals.
  EXPECT_GE(collection.recallOf(centres, 400), 0.95);
}

TEST(RecallOf, ClustersThatGoWhollyLeaveTheOthersConnected) {
  Collection collection({.dimensions = 16, .metric = Metric::euclidean, .efSearch = 100});
  const auto centres = noise(20, 16, 23);
  const auto spread = noise(6000, 16, 24);
  for (size_t i = 0; i < spread.size(); ++i) {
    Floats vector = centres[i % 20];
    for (size_t k = 0; k < vector.size(); ++k) vector[k] = vector[k] * 10 + spread[i][k];
    collection.put(fmt::format("{}", i), std::move(vector));
  }
  for (size_t i = 0; i < spread.size(); ++i) {
    if (i % 20 != 7 && i % 20 != 13) collection.remove(fmt::format("{}", i));
  }
  EXPECT_EQ(GraphProbe::problem(collection.index), "");
  EXPECT_EQ(GraphProbe::reachable(collection.index), collection.documents.size());
  EXPECT_EQ(collection.documents.size(), 600U);
  EXPECT_GE(collection.recallOf(centres), 0.95);
}

}  // namespace

}  // namespace mb::vectors
