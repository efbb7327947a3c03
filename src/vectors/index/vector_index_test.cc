#include "vectors/index/vector_index.h"

#include <gtest/gtest.h>

#include <limits>

#include "vectors/index/graph_probe.h"
#include "vectors/index/vectors_fixture.h"

namespace mb::vectors {

namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();

std::vector<std::string> idsOf(const Result<std::vector<Hit>>& hits) {
  std::vector<std::string> ids;
  for (const Hit& hit : *hits) ids.push_back(hit.id);
  return ids;
}

TEST(VectorIndex, NamesTheOptionThatIsOutOfBounds) {
  const auto message = [](IndexOptions options) { return checkOptions(options).error().message(); };
  EXPECT_EQ(message({.dimensions = 0}), "dimensions must be 1 to 4096");
  EXPECT_EQ(message({.dimensions = 4097}), "dimensions must be 1 to 4096");
  EXPECT_EQ(message({.dimensions = 3, .m = 1}), "m must be 2 to 128");
  EXPECT_EQ(message({.dimensions = 3, .efConstruction = 3}), "efConstruction must be 4 to 4000");
  EXPECT_EQ(message({.dimensions = 3, .efSearch = 0}), "efSearch must be 1 to 10000");
  EXPECT_TRUE(checkOptions({.dimensions = 4096, .m = 128, .efConstruction = 4000, .efSearch = 10'000}));
}

TEST(VectorIndex, GivesScoresByMetric) {
  const auto scores = [](Metric metric) {
    VectorIndex index({.dimensions = 2, .metric = metric});
    EXPECT_TRUE(index.put("a", Floats{3, 4}));
    EXPECT_TRUE(index.put("b", Floats{-6, -8}));
    EXPECT_TRUE(index.put("zero", Floats{0, 0}));
    const View view = index.view();
    const Floats query = {3, 4};
    std::map<std::string, double> found;
    const auto exact = view.exact(query, {}).value();
    for (const Hit& hit : exact) found[hit.id] = hit.score;
    const auto walked = view.walk(query, {}).value();
    EXPECT_EQ(walked.size(), 3U);
    for (const Hit& hit : walked) EXPECT_EQ(found[hit.id], hit.score);
    return found;
  };
  auto cosine = scores(Metric::cosine);
  EXPECT_NEAR(cosine["a"], 1, 1e-6);
  EXPECT_NEAR(cosine["b"], -1, 1e-6);
  EXPECT_EQ(cosine["zero"], 0);
  auto dot = scores(Metric::dot);
  EXPECT_EQ(dot["a"], 25);
  EXPECT_EQ(dot["b"], -50);
  auto euclidean = scores(Metric::euclidean);
  EXPECT_EQ(euclidean["a"], 0);
  EXPECT_EQ(euclidean["b"], -15);
  EXPECT_EQ(euclidean["zero"], -5);
}

TEST(VectorIndex, RefusesVectorsItCannotMeasureAndChangesNothing) {
  VectorIndex index({.dimensions = 2, .metric = Metric::euclidean});
  ASSERT_TRUE(index.put("a", Floats{1, 2}));
  for (const Floats& vector : {Floats{}, Floats{1}, Floats{1, 2, 3}, Floats{1, std::nanf("")}, Floats{kInfinite, 1},
                               Floats{1, -kInfinite}, Floats{1e19F, 0}}) {
    const auto put = index.put("a", vector);
    ASSERT_FALSE(put);
    EXPECT_EQ(put.error().code(), ErrorCode::validation);
    for (const auto& answer : {index.view().nearest(vector, {}), index.view().walk(vector, {})}) {
      ASSERT_FALSE(answer);
      EXPECT_EQ(answer.error().code(), ErrorCode::validation);
    }
  }
  EXPECT_FALSE(index.put("", Floats{1, 2}));
  EXPECT_FALSE(index.put(std::string(kMaxIdBytes + 1, 'x'), Floats{1, 2}));
  EXPECT_TRUE(index.put(std::string(kMaxIdBytes, 'x'), Floats{9, 9}));
  EXPECT_EQ(index.size(), 2U);
  EXPECT_EQ(index.view().nearest(Floats{1, 2}, {.limit = 1}).value().front().score, 0);
}

TEST(VectorIndex, MeasuresCosinesOfAnyLength) {
  VectorIndex index({.dimensions = 3, .metric = Metric::cosine});
  ASSERT_TRUE(index.put("huge", Floats{3e38F, 3e38F, 0}));
  ASSERT_TRUE(index.put("tiny", Floats{1e-42F, 0, 0}));
  const auto hits = index.view().nearest(Floats{1e-40F, 0, 0}, {}).value();
  EXPECT_EQ(idsOf(hits), (std::vector<std::string>{"tiny", "huge"}));
  EXPECT_NEAR(hits[0].score, 1, 1e-6);
  EXPECT_NEAR(hits[1].score, std::sqrt(0.5), 1e-6);
}

TEST(VectorIndex, AnswersAnEmptyIndexAndALimitOfNothing) {
  VectorIndex index({.dimensions = 2});
  EXPECT_TRUE(index.view().nearest(Floats{1, 0}, {}).value().empty());
  EXPECT_TRUE(index.view().walk(Floats{1, 0}, {}).value().empty());
  EXPECT_FALSE(index.remove("a"));
  ASSERT_TRUE(index.put("a", Floats{1, 0}));
  EXPECT_TRUE(index.view().exact(Floats{1, 0}, {.limit = 0}).value().empty());
  EXPECT_TRUE(index.view().walk(Floats{1, 0}, {.limit = 0}).value().empty());
  EXPECT_TRUE(index.remove("a"));
  EXPECT_FALSE(index.remove("a"));
  EXPECT_TRUE(index.view().walk(Floats{1, 0}, {}).value().empty());
  EXPECT_EQ(index.size(), 0U);
}

TEST(VectorIndex, OrdersEqualScoresById) {
  VectorIndex index({.dimensions = 2});
  for (const char* id : {"c", "a", "b"}) ASSERT_TRUE(index.put(id, Floats{1, 1}));
  EXPECT_EQ(idsOf(index.view().nearest(Floats{1, 1}, {})), (std::vector<std::string>{"a", "b", "c"}));
}

TEST(VectorIndex, ShowsAViewTheIndexAsItWas) {
  VectorIndex index({.dimensions = 2, .metric = Metric::euclidean});
  ASSERT_TRUE(index.put("stays", Floats{0, 1}));
  ASSERT_TRUE(index.put("moves", Floats{0, 2}));
  ASSERT_TRUE(index.put("goes", Floats{0, 3}));
  const View before = index.view();
  const Slot moved = before.slotOf("moves").value();
  ASSERT_TRUE(index.put("moves", Floats{0, -50}));
  ASSERT_TRUE(index.remove("goes"));
  ASSERT_TRUE(index.put("comes", Floats{0, 0}));
  for (const auto& hits : {before.exact(Floats{0, 0}, {}), before.walk(Floats{0, 0}, {})}) {
    EXPECT_EQ(idsOf(hits), (std::vector<std::string>{"stays", "moves", "goes"}));
    EXPECT_EQ((*hits)[1].score, -2);
    EXPECT_EQ((*hits)[1].slot, moved);
  }
  EXPECT_EQ(before.size(), 3U);
  EXPECT_EQ(before.idOf(moved), "moves");
  const View after = index.view();
  EXPECT_EQ(idsOf(after.exact(Floats{0, 0}, {})), (std::vector<std::string>{"comes", "stays", "moves"}));
  EXPECT_EQ(idsOf(after.walk(Floats{0, 0}, {})), (std::vector<std::string>{"comes", "stays", "moves"}));
}

TEST(VectorIndex, FindsInAnOldViewWhatItLooksUpLater) {
  VectorIndex index({.dimensions = 2, .metric = Metric::euclidean});
  ASSERT_TRUE(index.put("a", Floats{0, 1}));
  ASSERT_TRUE(index.put("b", Floats{0, 2}));
  const View view = index.view();
  ASSERT_TRUE(index.put("a", Floats{0, 5}));
  const SlotSet within = view.slotsOf(std::vector<std::string>{"a", "nobody"});
  EXPECT_EQ(within.count(), 1U);
  const auto hits = view.exact(Floats{0, 0}, {.within = &within}).value();
  ASSERT_EQ(idsOf(hits), std::vector<std::string>{"a"});
  EXPECT_EQ(hits[0].score, -5);
}

TEST(VectorIndex, GivesNoSlotToAnotherVectorWhileAViewIsOpen) {
  VectorIndex index({.dimensions = 4, .metric = Metric::euclidean});
  const auto vectors = noise(4000, 4, 1);
  for (size_t i = 0; i < 200; ++i) ASSERT_TRUE(index.put(fmt::format("old{}", i), vectors[i]));
  auto view = std::make_optional(index.view());
  std::map<Slot, std::string> known;
  for (size_t i = 0; i < 200; ++i) known[view->slotOf(fmt::format("old{}", i)).value()] = fmt::format("old{}", i);
  for (size_t i = 0; i < 200; ++i) ASSERT_TRUE(index.remove(fmt::format("old{}", i)));
  for (size_t i = 200; i < 2000; ++i) ASSERT_TRUE(index.put(fmt::format("new{}", i % 400), vectors[i]));
  for (const auto& [slot, id] : known) EXPECT_EQ(view->idOf(slot), id);
  EXPECT_EQ(view->exact(vectors[0], {.limit = 300}).value().size(), 200U);
  const size_t max = GraphProbe::slots(index);
  view.reset();
  for (size_t i = 2000; i < 4000; ++i) ASSERT_TRUE(index.put(fmt::format("new{}", i % 400), vectors[i]));
  // All slots that waited for the view are reused.
  EXPECT_EQ(GraphProbe::slots(index), max);
  EXPECT_EQ(GraphProbe::problem(index), "");
}

TEST(VectorIndex, KeepsAViewOfAnIndexThatIsGone) {
  auto index = std::make_unique<VectorIndex>(IndexOptions{.dimensions = 2});
  ASSERT_TRUE(index->put("a", Floats{1, 0}));
  View view = index->view();
  index.reset();
  const View moved = std::move(view);
  EXPECT_EQ(idsOf(moved.walk(Floats{1, 0}, {})), std::vector<std::string>{"a"});
}

TEST(VectorIndex, EndsASearchThatIsStoppedOrTooLate) {
  VectorIndex index({.dimensions = 8});
  const auto vectors = noise(2000, 8, 3);
  for (size_t i = 0; i < vectors.size(); ++i) ASSERT_TRUE(index.put(std::to_string(i), vectors[i]));
  const View view = index.view();
  const std::atomic<bool> stop = true;
  const Search stopped = {.ef = 500, .stop = &stop};
  const Search late = {.ef = 500, .deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1)};
  for (const Search& search : {stopped, late}) {
    for (const auto& answer : {view.exact(vectors[0], search), view.walk(vectors[0], search)}) {
      ASSERT_FALSE(answer);
      EXPECT_EQ(answer.error().code(), ErrorCode::unavailable);
    }
  }
}

TEST(VectorIndex, PutsNothingAnewThatIsTheSame) {
  VectorIndex index({.dimensions = 2});
  ASSERT_TRUE(index.put("a", Floats{1, 2}));
  const Slot slot = index.view().slotOf("a").value();
  ASSERT_TRUE(index.put("a", Floats{1, 2}));
  EXPECT_EQ(index.view().slotOf("a"), slot);
  ASSERT_TRUE(index.put("a", Floats{2, 1}));
  EXPECT_NE(index.view().slotOf("a"), slot);
  EXPECT_EQ(index.size(), 1U);
}

TEST(VectorIndex, TakesAboutTheMemoryThatItSays) {
  const IndexOptions options = {.dimensions = 384};
  VectorIndex index(options);
  const auto vectors = noise(500, 384, 5);
  for (size_t i = 0; i < vectors.size(); ++i) ASSERT_TRUE(index.put(fmt::format("{:024}", i), vectors[i]));
  const double said = static_cast<double>(VectorIndex::memoryFor(options, vectors.size()));
  EXPECT_NEAR(static_cast<double>(index.bytes()), said, said / 50);
  EXPECT_LT(said / static_cast<double>(vectors.size()), 1938);
}

}  // namespace

}  // namespace mb::vectors
