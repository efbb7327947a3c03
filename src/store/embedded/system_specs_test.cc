#include <gtest/gtest.h>

#include "store/embedded/catalogue.h"
#include "store/embedded/keys.h"
#include "store/embedded/testing.h"

namespace mb::store::embedded {
namespace {

constexpr CollectionNo kBook = 7;
constexpr IndexNo kLastNumber = kFirstUserCollection - 1;

IndexSpec on(std::string path, bool unique = false) {
  IndexSpec spec;
  spec.keys = {{std::move(path), 1}};
  spec.unique = unique;
  return spec;
}

class SystemSpecsTest : public ::testing::Test {
 protected:
  SystemSpecsTest() {
    settings_.minFreeDiskBytes = 0;
    cores_.start();
  }
  ~SystemSpecsTest() override {
    store_.reset();
    cores_.stop();
    cores_.join();
  }
  // Opens the store; "" or the error message.
  std::string open(std::vector<IndexSpec> indexes,
                   std::function<std::optional<doc::Document>(doc::DocumentView)> upgrade = {}) {
    store_.reset();
    SystemCollection book{kBook, "__book", std::move(indexes)};
    book.upgrade = std::move(upgrade);
    auto opened = EmbeddedStore::open(folder_.path(), settings_, cores_, {std::move(book)}, clock_);
    if (!opened) return opened.error().message();
    store_ = *std::move(opened);
    return "";
  }
  void put(const std::string& id, int64_t n) {
    doc::BsonWriter out;
    out.appendString("id", id);
    out.appendInt64("n", n);
    EXPECT_TRUE(testing::runOn(cores_, 0, testing::put(*store_, {kControlProject, kBook, 0}, id, out.finish())));
  }
  // The index that was used, and the ids of documents with this `n`.
  std::string found(int64_t n) {
    doc::BsonWriter out;
    out.appendInt64("n", n);
    Query query;
    query.collection = {kControlProject, kBook, 0};
    query.filter = *doc::Filter::parse(out.finish());
    query.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    query.explain = true;
    const auto result = testing::runOn(cores_, 0, store_->find(std::move(query)));
    if (!result) return result.error().message();
    std::string text = result->explain.index + ":";
    for (const doc::Document& each : result->documents) text += " " + std::string(each.view().stringOr("id"));
    return text;
  }
  // Writes a directory in which all index numbers are assigned, with tombstones of `unswept`, and under each number a
  // row that is not a valid entry.
  void useUpNumbers(std::vector<IndexNo> unswept) {
    store_.reset();
    auto database = Database::open(folder_.path() / "store", settings_, [](ProjectNo) { return 0; });
    ASSERT_TRUE(database) << database.error().message();
    auto* system = (*database)->family(Family::system);
    rocksdb::PinnableSlice numbers;
    ASSERT_TRUE((*database)->get(Tier::disk, Family::system, row::plain(row::kNextNumbers), &numbers).ok());
    std::string used(numbers.data(), 4);
    appendU32(used, kLastNumber + 1);
    rocksdb::WriteBatch batch;
    batch.Put(system, row::plain(row::kNextNumbers), used);
    for (IndexNo number = 2; number <= kLastNumber; ++number) {
      batch.Put((*database)->family(Family::indexes), rangePrefix(kControlProject, number) + "stale", "x");
      // Traits of an index that held arrays, which are never cleared.
      std::string marks;
      appendU32(marks, 1);
      appendU32(marks, 1);
      batch.Put(system, row::of(row::kIndexTraits, 0, number), marks);
    }
    if (!unswept.empty()) {
      const Tombstone tombstone{1000, kControlProject, false, 0, std::move(unswept)};
      batch.Put(system, row::tombstone(tombstone.row), encodeTombstone(tombstone));
    }
    (*database)->write(batch);
  }

  TemporaryFolder folder_;
  SystemClock clock_;
  Cores cores_{2};
  EmbeddedSettings settings_;
  std::unique_ptr<EmbeddedStore> store_;
};

TEST_F(SystemSpecsTest, NumbersOfDroppedIndexesAreUsedAgain) {
  ASSERT_EQ(open({on("other")}), "");
  put("a", 1);
  put("b", 2);
  useUpNumbers({});
  ASSERT_EQ(open({on("other"), on("n", true)}), "");
  EXPECT_EQ(found(2), "n_1: b");
  put("c", 3);
  EXPECT_EQ(store_->check().problems, std::vector<std::string>());
  ASSERT_EQ(open({on("other"), on("n", true)}), "");
  EXPECT_EQ(found(3), "n_1: c");
  // Each further start drops one index and creates one.
  for (const char* path : {"x", "y", "n", "z"}) ASSERT_EQ(open({on(path)}), "") << path;
  EXPECT_EQ(store_->check().problems, std::vector<std::string>());
}

TEST_F(SystemSpecsTest, NumbersThatWaitToBeSweptAreSweptAtTheStart) {
  ASSERT_EQ(open({on("other")}), "");
  put("a", 1);
  std::vector<IndexNo> all;
  for (IndexNo number = 2; number <= kLastNumber; ++number) all.push_back(number);
  useUpNumbers(std::move(all));
  ASSERT_EQ(open({on("other"), on("n")}), "");
  EXPECT_EQ(found(1), "n_1: a");
  // Its rows must not be swept because of the index that had the number before.
  ASSERT_EQ(open({on("other"), on("n")}), "");
  EXPECT_EQ(found(1), "n_1: a");
  EXPECT_EQ(store_->check().problems, std::vector<std::string>());
}

TEST_F(SystemSpecsTest, ANumberThatWaitsToBeSweptIsNotTaken) {
  ASSERT_EQ(open({on("other")}), "");
  put("a", 1);
  useUpNumbers({2, 3, 4});
  ASSERT_EQ(open({on("other"), on("n")}), "");
  store_.reset();
  ASSERT_EQ(open({on("other"), on("n")}), "");
  EXPECT_EQ(found(1), "n_1: a");
  EXPECT_EQ(store_->check().problems, std::vector<std::string>());
}

// Doubles `n`, and marks the document, so that it is done once.
std::optional<doc::Document> doubled(doc::DocumentView document) {
  if (document.find("doubled")) return std::nullopt;
  doc::BsonWriter out;
  out.appendString("id", document.stringOr("id"));
  out.appendInt64("n", 2 * document.find("n")->toInteger().value_or(0));
  out.appendBool("doubled", true);
  return out.finish();
}

TEST_F(SystemSpecsTest, DocumentsAreUpgradedBeforeANewIndexIsBuilt) {
  ASSERT_EQ(open({on("other")}), "");
  put("a", 1);
  put("b", 2);
  ASSERT_EQ(open({on("other"), on("n")}, doubled), "");
  EXPECT_EQ(found(2), "n_1: a");
  EXPECT_EQ(found(4), "n_1: b");
  EXPECT_EQ(store_->check().problems, std::vector<std::string>());
  put("c", 3);
  // Without a new index nothing is upgraded.
  ASSERT_EQ(open({on("other"), on("n")}, doubled), "");
  EXPECT_EQ(found(3), "n_1: c");
  // A release without the index drops it; the one after it upgrades what that one wrote.
  ASSERT_EQ(open({on("other")}), "");
  ASSERT_EQ(open({on("other"), on("n")}, doubled), "");
  EXPECT_EQ(found(6), "n_1: c");
  EXPECT_EQ(found(4), "n_1: b");
  EXPECT_EQ(store_->check().problems, std::vector<std::string>());
}

}  // namespace
}  // namespace mb::store::embedded
