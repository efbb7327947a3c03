// Random operations compared with a map of vectors, and many readers concurrent with the writer.
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "vectors/index/graph_probe.h"
#include "vectors/index/vectors_fixture.h"

namespace mb::vectors {

namespace {

class Model : public testing::TestWithParam<std::tuple<Metric, uint32_t>> {
 protected:
  Floats someVector() {
    std::normal_distribution<float> normal;
    Floats vector(kDimensions);
    // Often small integers, so that many vectors are equal, or all zeros.
    const uint32_t kind = random_() % 10;
    for (float& value : vector) value = kind == 0 ? 0 : kind < 4 ? static_cast<float>(random_() % 3) : normal(random_);
    return vector;
  }
  std::string someId() { return fmt::format("id{}", random_() % kIds); }

  void step() {
    const uint32_t what = random_() % 100;
    // Phases: in every other one most vectors are removed.
    const bool ebb = (steps_++ / 1500) % 2 == 1;
    if (what < (ebb ? 20U : 60U)) {
      const std::string id = someId();
      const Floats vector = someVector();
      ASSERT_TRUE(index_->put(id, vector));
      documents_[id] = vector;
    } else if (what < 90) {
      const std::string id = someId();
      ASSERT_EQ(index_->remove(id), documents_.erase(id) == 1);
    } else if (what < 99) {
      search();
    } else if (random_() % 4 == 0) {
      reload();
    }
  }
  void search() {
    const Floats query = someVector();
    const size_t limit = 1 + random_() % 20;
    const uint32_t share = 1 + random_() % 8;
    const auto allows = [&](const std::string& id) { return std::hash<std::string>()(id) % share == 0; };
    const View view = index_->view();
    ASSERT_EQ(view.size(), documents_.size());
    SlotSet within;
    for (const auto& [id, vector] : documents_) {
      const std::optional<Slot> slot = view.slotOf(id);
      ASSERT_TRUE(slot) << id;
      ASSERT_EQ(view.idOf(*slot), id);
      if (allows(id)) within.add(*slot);
    }
    const auto right = plainNearest(index_->options().metric, documents_, query, limit, allows);
    const Search bySlots = {.limit = limit, .within = &within};
    const Search byAsking = {.limit = limit, .allows = [&](Slot slot) { return allows(std::string(view.idOf(slot))); }};
    for (const Search& search : {bySlots, byAsking}) {
      expectExact(view.exact(query, search).value(), right, query, allows);
      expectExact(view.nearest(query, search).value(), right, query, allows);
      // A walk without a bound finds every allowed vector.
      Search whole = search;
      whole.ef = 2 * kIds;
      expectExact(view.walk(query, whole).value(), right, query, allows);
    }
  }
  void expectExact(const std::vector<Hit>& hits, const std::vector<double>& right, const Floats& query,
                   const std::function<bool(const std::string&)>& allows) {
    ASSERT_EQ(hits.size(), right.size());
    std::set<std::string> ids;
    for (size_t i = 0; i < hits.size(); ++i) {
      ASSERT_NEAR(hits[i].score, right[i], 1e-3);
      ASSERT_TRUE(documents_.contains(hits[i].id) && allows(hits[i].id));
      ASSERT_NEAR(hits[i].score, plainScore(index_->options().metric, query, documents_[hits[i].id]), 1e-3);
      ASSERT_TRUE(ids.insert(hits[i].id).second);
    }
  }
  void reload() {
    ASSERT_TRUE(index_->save(file_, "position"));
    auto loaded = VectorIndex::load(file_);
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_EQ(loaded->position, "position");
    index_ = std::move(loaded->index);
  }
  void TearDown() override { std::filesystem::remove(file_); }

  static constexpr size_t kDimensions = 6;
  static constexpr size_t kIds = 400;
  std::mt19937 random_{std::get<1>(GetParam())};
  Documents documents_;
  size_t steps_ = 0;
  std::unique_ptr<VectorIndex> index_ = std::make_unique<VectorIndex>(IndexOptions{
      .dimensions = kDimensions, .metric = std::get<0>(GetParam()), .m = 4, .efConstruction = 20, .efSearch = 10});
  std::filesystem::path file_ = std::filesystem::temp_directory_path() /
                                fmt::format("model_test.{}.{}", ::getpid(), static_cast<const void*>(this));
};

TEST_P(Model, AnswersAsAMapDoes) {
  for (int round = 0; round < 60; ++round) {
    for (int i = 0; i < 100; ++i) {
      ASSERT_NO_FATAL_FAILURE(step());
    }
    ASSERT_EQ(GraphProbe::problem(*index_), "");
    ASSERT_EQ(index_->size(), documents_.size());
    ASSERT_EQ(GraphProbe::reachable(*index_), documents_.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Operations, Model,
                         testing::Combine(testing::Values(Metric::cosine, Metric::dot, Metric::euclidean),
                                          testing::Values(1U, 2U, 3U)));

// Readers concurrent with a writer that replaces and removes: a view is one state. The first number of each vector is
// its id, so a result that mixes two is detected.
TEST(Beside, SearchesSeeOneStateWhileOneWrites) {
  constexpr size_t kIds = 300;
  constexpr size_t kReaders = 3;
  VectorIndex index({.dimensions = 8, .metric = Metric::euclidean, .m = 6, .efConstruction = 30, .efSearch = 30});
  const auto vectorOf = [](size_t id, uint32_t round) {
    Floats vector(8, static_cast<float>(round % 7));
    vector[0] = static_cast<float>(id) * 100;
    return vector;
  };
  // These are not changed: every view has them.
  for (size_t id = 0; id < kIds; id += 3) ASSERT_TRUE(index.put(std::to_string(id), vectorOf(id, 0)));
  std::atomic<bool> done = false;
  std::atomic<size_t> searches = 0;
  std::vector<std::thread> readers;
  for (size_t reader = 0; reader < kReaders; ++reader) {
    readers.emplace_back([&, reader] {
      std::mt19937 random(static_cast<uint32_t>(reader));
      while (!done) {
        const View view = index.view();
        const size_t wanted = random() % kIds / 3 * 3;
        const Floats query = vectorOf(wanted, 0);
        const SlotSet within = view.slotsOf(std::vector<std::string>{std::to_string(wanted), "1", "2"});
        const auto whole = view.exact(query, {.limit = kIds + 9});
        const auto part = view.exact(query, {.within = &within});
        const auto walked = view.walk(query, {.limit = 12});
        for (const auto* hits : {&whole, &part, &walked}) {
          std::set<std::string> ids;
          for (const Hit& hit : **hits) {
            EXPECT_TRUE(ids.insert(hit.id).second);
            EXPECT_EQ(view.idOf(hit.slot), hit.id);
            const double apart = 100 * std::abs(std::stod(hit.id) - static_cast<double>(wanted));
            EXPECT_NEAR(-hit.score, apart, 20);
          }
          EXPECT_TRUE(hits == &walked || ids.contains(std::to_string(wanted)));
        }
        EXPECT_EQ(view.exact(query, {.limit = kIds + 9}).value().size(), view.size());
        ++searches;
      }
    });
  }
  std::mt19937 random(99);
  for (uint32_t round = 1; round < 6000 || searches < 300; ++round) {
    const size_t id = random() % kIds;
    if (id % 3 == 2 && round % 2 == 0) {
      index.remove(std::to_string(id));
    } else {
      ASSERT_TRUE(index.put(std::to_string(id), vectorOf(id, id % 3 == 0 ? 0 : round)));
    }
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(GraphProbe::problem(index), "");
  EXPECT_EQ(GraphProbe::reachable(index), index.size());
}

}  // namespace

}  // namespace mb::vectors
