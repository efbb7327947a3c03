#include "vectors/vector_index_manager.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/crypto.h"
#include "base/log.h"
#include "base/testing.h"
#include "document/json.h"
#include "store/testing/memory_store.h"
#include "store/testing/running.h"
#include "store/testing/writing.h"
#include "vectors/embedding_rows.h"

namespace mb::vectors {
namespace {

class IndexKeeperTest : public ::testing::Test {
 protected:
  IndexKeeperTest() {
    initCrypto();
    configureLog(LogLevel::off, LogFormat::text);
    std::string name = std::filesystem::temp_directory_path() / "vectors-XXXXXX";
    directory_ = ::mkdtemp(name.data());
    cores_.start();
    project_ = *run(store_.allocateProject());
    collection_ = *run(store_.createCollection(project_, "things", {}, {}));
    begin();
  }
  ~IndexKeeperTest() override {
    end();
    cores_.stop();
    cores_.join();
    std::filesystem::remove_all(directory_);
  }

  void begin(uint64_t memory = uint64_t{1} << 30) {
    pool_.emplace("keep", 1, 64);
    indexes_.emplace(VectorIndexManagerDeps{store_, store_.feed(), cores_, *pool_, directory_, memory});
    indexes_->start();
  }
  void end() {
    if (!indexes_) return;
    EXPECT_TRUE(indexes_->stop(std::chrono::seconds(20)));
    pool_->stop();
    indexes_.reset();
    pool_.reset();
  }
  void again() {
    end();
    begin();
  }

  template <class T>
  Result<T> run(Task<T> task) {
    return store::testing::runOn(cores_, 0, std::move(task));
  }
  static VectorFieldPtr field(int64_t dimensions = 2, std::string mode = "manual", std::string id = "vec_1") {
    auto made = std::make_shared<VectorField>();
    made->id = std::move(id);
    made->config = {"v", dimensions, "euclidean", {}, mode, {}};
    made->automatic = mode == "auto";
    made->fingerprint = "f";
    return made;
  }
  FieldPlace place(VectorFieldPtr of = field()) const { return {project_, collection_.number, std::move(of)}; }
  void write(store::CollectionRef collection, std::string id, store::Change change) {
    EXPECT_TRUE(run(store::testing::change(store_, collection, std::move(id), std::move(change))));
  }
  store::CollectionRef things() const { return {project_, collection_.number, collection_.version}; }
  void put(const std::string& id, std::string_view vector) {
    write(things(), id, store::Change::put(*doc::parseJson(fmt::format(R"({{"id":"{}","v":{}}})", id, vector))));
  }
  void remove(const std::string& id) { write(things(), id, store::Change::remove()); }
  void embed(const std::string& id, std::vector<float> vector) {
    EmbeddingRow row{rowIdOf("vec_1", id), "vec_1/f", fmt::format("vec_1/{:06}", ++seq_), "hash", {}};
    if (!vector.empty()) row.vector = packed(vector);
    write(embeddingsOf(project_), row.id, store::Change::put(doc::encode(row)));
    indexes_->embedded(project_, "vec_1");
  }
  std::vector<std::string> nearest(const FieldPlace& of, std::vector<float> query) {
    auto index = run(indexes_->use(of, std::chrono::steady_clock::now() + std::chrono::seconds(20)));
    EXPECT_TRUE(index) << index.error().message();
    std::vector<std::string> ids;
    if (!index) return ids;
    const auto hits = (*index)->view().nearest(query, {.limit = 10});
    EXPECT_TRUE(hits);
    for (const Hit& hit : *hits) ids.push_back(hit.id);
    return ids;
  }
  uint64_t vectors() const { return indexes_->find(project_, "vec_1")->vectors; }
  using Ids = std::vector<std::string>;

  std::filesystem::path directory_;
  Cores cores_{1};
  store::testing::MemoryStore store_{systemCollections()};
  store::ProjectNo project_ = 0;
  store::CollectionInfo collection_;
  std::optional<WorkerPool> pool_;
  std::optional<VectorIndexManager> indexes_;
  int seq_ = 0;
};

TEST_F(IndexKeeperTest, BuildsOfDocumentsAndFollowsThem) {
  put("a", "[1,0]");
  put("b", "[5,0]");
  put("short", "[1]");
  put("none", "null");
  EXPECT_EQ(nearest(place(), {0, 0}), (Ids{"a", "b"}));
  put("c", "[3,0]");
  EXPECT_EQ(nearest(place(), {0, 0}), (Ids{"a", "c", "b"}));
  put("a", "[9,0]");
  remove("b");
  EXPECT_EQ(nearest(place(), {0, 0}), (Ids{"c", "a"}));
  put("c", "\"no vector\"");
  EXPECT_EQ(nearest(place(), {0, 0}), (Ids{"a"}));
  EXPECT_EQ(vectors(), 1U);
  EXPECT_GT(indexes_->bytes(), 0U);
}

TEST_F(IndexKeeperTest, GoesOnFromItsFileWithWhatTheLogHas) {
  put("a", "[1,0]");
  EXPECT_EQ(nearest(place(), {0, 0}), (Ids{"a"}));
  end();
  put("b", "[2,0]");
  remove("a");
  begin();
  EXPECT_EQ(nearest(place(), {0, 0}), (Ids{"b"}));
}

TEST_F(IndexKeeperTest, IsMadeAnewWhereTheLogDoesNotReachBack) {
  put("a", "[1,0]");
  put("b", "[2,0]");
  EXPECT_EQ(nearest(place(), {0, 0}), (Ids{"a", "b"}));
  end();
  remove("a");
  put("c", "[3,0]");
  put("d", "[4,0]");
  store_.feed().trimTo(project_, store_.feed().lastPosition(project_) - 1);
  begin();
  EXPECT_EQ(nearest(place(), {0, 0}), (Ids{"b", "c", "d"}));
}

TEST_F(IndexKeeperTest, IsMadeAnewForOtherOptions) {
  put("a", "[1,0]");
  put("b", "[0,1,0]");
  EXPECT_EQ(nearest(place(), {0, 0}), (Ids{"a"}));
  EXPECT_EQ(nearest(place(field(3)), {0, 0, 0}), (Ids{"b"}));
  EXPECT_EQ(nearest(place(), {0, 0}), (Ids{"a"}));
}

TEST_F(IndexKeeperTest, FollowsEmbeddings) {
  const FieldPlace automatic = place(field(2, "auto"));
  put("a", "null");
  embed("a", {1, 0});
  EXPECT_EQ(nearest(automatic, {0, 0}), (Ids{"a"}));
  put("b", "null");
  embed("b", {2, 0});
  EXPECT_EQ(nearest(automatic, {0, 0}), (Ids{"a", "b"}));
  embed("a", {3, 0});
  EXPECT_EQ(nearest(automatic, {0, 0}), (Ids{"b", "a"}));
  again();
  EXPECT_EQ(nearest(automatic, {0, 0}), (Ids{"b", "a"}));
  embed("b", {});
  EXPECT_EQ(nearest(automatic, {0, 0}), (Ids{"a"}));
  remove("a");
  EXPECT_EQ(nearest(automatic, {0, 0}), Ids());
}

TEST_F(IndexKeeperTest, RefusesWhatDoesNotFit) {
  end();
  begin(1);
  put("a", "[1,0]");
  const auto index = run(indexes_->use(place(), std::chrono::steady_clock::now() + std::chrono::seconds(20)));
  ASSERT_FALSE(index);
  EXPECT_EQ(index.error().code(), ErrorCode::unavailable);
  EXPECT_NE(index.error().message().find("SERVICE_VECTOR_MEMORY"), std::string::npos);
  EXPECT_EQ(indexes_->find(project_, "vec_1")->state(), IndexState::failed);
}

TEST_F(IndexKeeperTest, EvictsWhatWasNotSearchedLatelyAndLoadsItAgain) {
  put("a", "[1,0]");
  put("b", "[2,0]");
  EXPECT_EQ(nearest(place(), {0, 0}), (Ids{"a", "b"}));
  const uint64_t one = indexes_->bytes();
  end();
  begin(one + one / 2);
  const FieldPlace first = place();
  const FieldPlace second = place(field(2, "manual", "vec_2"));
  EXPECT_EQ(nearest(first, {0, 0}), (Ids{"a", "b"}));
  const auto begun = std::chrono::steady_clock::now();
  for (int i = 0; i < 3; ++i) {
    for (const FieldPlace& each : {second, first}) {
      const std::string other = each.field->id == "vec_1" ? "vec_2" : "vec_1";
      // Last searched long ago.
      indexes_->find(project_, other)->lastUsedMs = 1;
      EXPECT_EQ(nearest(each, {0, 0}), (Ids{"a", "b"}));
      EXPECT_TRUE(until([&] { return indexes_->find(project_, other)->bytes == 0; }));
    }
  }
  EXPECT_LE(indexes_->bytes(), one + one / 2);
  // Both waits, for the memory and for the index, are ended by their events.
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20));
}

TEST_F(IndexKeeperTest, ASearchIsRefusedAtItsDeadline) {
  put("a", "[1,0]");
  pool_->stop();  // the index is never built
  const auto begun = std::chrono::steady_clock::now();
  const auto index = run(indexes_->use(place(), begun + std::chrono::milliseconds(50)));
  ASSERT_FALSE(index);
  EXPECT_EQ(index.error().code(), ErrorCode::unavailable);
  EXPECT_GE(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(50));
}

TEST_F(IndexKeeperTest, SweepsFilesOfWhatIsNoMore) {
  put("a", "[1,0]");
  EXPECT_EQ(nearest(place(), {0, 0}), (Ids{"a"}));
  end();
  const auto files = [&] {
    size_t count = 0;
    for (const auto& each : std::filesystem::recursive_directory_iterator(directory_)) count += each.is_regular_file();
    return count;
  };
  EXPECT_EQ(files(), 1U);
  begin();
  indexes_->sweep({{project_, {"vec_1"}}});
  EXPECT_EQ(files(), 1U);
  indexes_->sweep({{project_, {"vec_2"}}});
  EXPECT_EQ(files(), 0U);
}

TEST_F(IndexKeeperTest, DropsAFieldWithItsFile) {
  put("a", "[1,0]");
  EXPECT_EQ(nearest(place(), {0, 0}), (Ids{"a"}));
  again();
  EXPECT_EQ(nearest(place(), {0, 0}), (Ids{"a"}));
  indexes_->drop(project_, "vec_1");
  EXPECT_EQ(indexes_->find(project_, "vec_1"), nullptr);
  end();
  for (const auto& each : std::filesystem::recursive_directory_iterator(directory_)) {
    EXPECT_FALSE(each.is_regular_file()) << each.path();
  }
}

}  // namespace
}  // namespace mb::vectors
