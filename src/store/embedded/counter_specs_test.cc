#include <gtest/gtest.h>

#include "base/clock.h"
#include "document/json.h"
#include "store/embedded/testing.h"
#include "store/embedded/testing_counters.h"
#include "store/testing/running.h"

namespace mb::store::embedded {

namespace {

constexpr CollectionNo kFiles = 5;
const CounterKey kStoredBytes{kControlProject, 7, ""};

EmbeddedSettings counterSettings() {
  EmbeddedSettings counterSettings;
  counterSettings.minFreeDiskBytes = 0;
  return counterSettings;
}

class CounterSpecsTest : public ::testing::Test {
 protected:
  CounterSpecsTest() { cores_.start(); }
  ~CounterSpecsTest() override {
    store_.reset();
    cores_.stop();
    cores_.join();
  }

  void open(std::vector<CounterSource> counters) {
    store_.reset();
    auto opened =
        EmbeddedStore::open(folder_.path(), counterSettings(), cores_,
                            {{.number = kFiles, .name = "__files", .indexes = {}, .counters = counters}}, clock_);
    ASSERT_TRUE(opened) << opened.error().message();
    store_ = *std::move(opened);
  }

  void save(const std::string& id, int64_t size) { saveAs(id, fmt::format(R"({{"id":"{}","size":{}}})", id, size)); }

  void saveAs(const std::string& id, const std::string& json) {
    Write write(
        {.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30), .actor = {}, .bumpEpochs = {}});
    const Target target = write.change({kControlProject, kFiles, 0}, id);
    const doc::Document document = *doc::parseJson(json);
    const auto done = testing::runOn(
        cores_, 0, store_->write(std::move(write), [target, document](const PreImages&, Changes& changes) -> Result<> {
          changes.put(target, document);
          return {};
        }));
    ASSERT_TRUE(done) << done.error().message();
  }

  int64_t counter(const CounterKey& key = kStoredBytes) { return *testing::runOn(cores_, 0, store_->counter(key)); }

  // Opens the store as a version without counters does, which leaves the counter rows unchanged.
  void openAsEarlier(const std::function<void(Database&)>& change) {
    store_.reset();
    auto database = Database::open(folder_.path() / "store", counterSettings(), [](ProjectNo) { return uint64_t{0}; });
    ASSERT_TRUE(database) << database.error().message();
    change(**database);
  }

  TemporaryFolder folder_;
  SystemClock clock_;
  Cores cores_{1};
  std::unique_ptr<EmbeddedStore> store_;
};

const std::vector<CounterSource> kDeclared = {{7, "storedBytes", "size"}};

}  // namespace

TEST_F(CounterSpecsTest, ADeclaredCounterCountsWhatWasThereBefore) {
  open({});
  save("a", 10);
  save("b", 20);
  open(kDeclared);
  EXPECT_EQ(counter(), 30);
  save("c", 1);
  open(kDeclared);
  EXPECT_EQ(counter(), 31);
  EXPECT_EQ(store_->check().problems, std::vector<std::string>());
}

TEST_F(CounterSpecsTest, AChangedDeclarationIsCountedAnew) {
  open(kDeclared);
  save("a", 10);
  save("b", 20);
  open({{7, "files"}});
  EXPECT_EQ(counter(), 2);
  open({});
  EXPECT_EQ(counter(), 0);
  EXPECT_EQ(store_->check().problems, std::vector<std::string>());
}

TEST_F(CounterSpecsTest, AConditionCountsTheDocumentsThatHoldItsField) {
  open({{7, "files"}});
  save("a", 10);
  open({{.counter = 7, .name = "files", .where = "size"}});
  EXPECT_EQ(counter(), 1);
  saveAs("b", R"({"id":"b","size":null})");
  saveAs("c", R"({"id":"c"})");
  EXPECT_EQ(counter(), 1);
  saveAs("c", R"({"id":"c","size":1})");
  EXPECT_EQ(counter(), 2);
  saveAs("a", R"({"id":"a","size":null})");
  EXPECT_EQ(counter(), 1);
  EXPECT_EQ(store_->check().problems, std::vector<std::string>());
}

TEST_F(CounterSpecsTest, WhatAVersionWithoutCountersChangedIsCountedAnew) {
  open(kDeclared);
  save("a", 10);
  openAsEarlier([](Database& database) {
    rocksdb::WriteBatch batch;
    const doc::Document changed = *doc::parseJson(R"({"id":"a","size":99})");
    batch.Put(database.family(Family::documents), documentKey(kControlProject, kFiles, "a"), slice(changed.bytes()));
    database.write(batch);
  });
  open(kDeclared);
  EXPECT_EQ(counter(), 99);
}

TEST_F(CounterSpecsTest, RowsThatThisVersionKeptAreNotCountedAnew) {
  open(kDeclared);
  save("a", 10);
  store_.reset();
  // Only a recount could detect that such a row is wrong.
  replaceCounterRow(folder_.path(), kStoredBytes, 77);
  open(kDeclared);
  EXPECT_EQ(counter(), 77);
  const std::vector<std::string> problems = store_->check().problems;
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems.front().find("storedBytes"), std::string::npos) << problems.front();
}

}  // namespace mb::store::embedded
