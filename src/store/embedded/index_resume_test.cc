// An index whose build a crash interrupted: declared, not ready, and partly filled.
#include <latch>

#include "document/json.h"
#include "store/embedded/database.h"
#include "store/embedded/index_entries.h"
#include "store/embedded/keys.h"
#include "store/embedded/schema.h"
#include "store/embedded/testing.h"

namespace mb::store::embedded {

namespace {

class IndexResumeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const CollectionInfo info = opened_.must(opened_.store().createCollection(kControlProject, "posts", {}, {}));
    posts_ = {kControlProject, info.number, info.version};
    for (int i = 0; i < 250; ++i) {
      const std::string id = fmt::format("{:03}", i);
      const std::string text = fmt::format(R"({{"id":"{}","n":{}}})", id, i % 200);
      opened_.must(testing::put(opened_.store(), posts_, id, doc::parseJson(text).value()));
    }
  }

  // Creates the state after the first swap and one slice of the fill, which has passed `documents`, up to `lastId`.
  void interrupt(bool unique, uint64_t documents = 0, const std::string& lastId = "",
                 std::vector<std::string> include = {}) {
    opened_.store().close();
    auto database = Database::open(opened_.path() / "store", {}, [](ProjectNo) { return 0; }).value();
    auto* system = database->family(Family::system);
    const std::string key = row::of(row::kCollection, kControlProject, posts_.number);
    std::string row;
    ASSERT_TRUE(database->db().Get({}, system, key, &row).ok());
    Schema schema = decodeSchema(posts_.number, row).value();
    IndexSpec spec;
    spec.keys = {{"n", 1}};
    spec.unique = unique;
    spec.include = std::move(include);
    const auto index = compileIndex(posts_.number + 1, spec, false).value();
    schema.indexes.push_back(index);
    ++schema.version;
    std::string next;
    appendU32(next, posts_.number + 2);
    EntrySet entries;
    const doc::Document first = doc::parseJson(R"({"id":"000","n":0})").value();
    ASSERT_TRUE(collectEntries(*index, kControlProject, first, "000", entries));
    std::string buffer;
    const std::string_view value = entryValue(*index, entries, 0, first, "000", buffer);
    rocksdb::WriteBatch batch;
    batch.Put(system, key, encodeSchema(schema));
    batch.Put(system, row::of(row::kNextNumber, kControlProject), next);
    batch.Put(database->family(Family::indexes), slice(entries.key(0)), slice(value));
    std::string position;
    appendU64(position, documents);
    appendU64(position, 250);
    appendU16(position, static_cast<uint16_t>(lastId.size()));
    batch.Put(system, row::of(row::kIndexBuild, kControlProject, index->number), position + lastId + "249");
    database->write(batch);
  }

  // Runs on the second core, since the first may be blocked.
  Result<WriteOutcome> change(const std::string& id, std::optional<std::string> document) {
    const auto collections = testing::runOn(opened_.cores(), 1, opened_.store().collections(kControlProject));
    posts_.version = collections->front().version;
    return testing::runOn(opened_.cores(), 1,
                          document ? testing::put(opened_.store(), posts_, id, doc::parseJson(*document).value())
                                   : testing::remove(opened_.store(), posts_, id));
  }

  // Waits until the index is ready or dropped.
  std::vector<IndexInfo> finished() {
    while (true) {
      auto indexes = opened_.must(opened_.store().collections(kControlProject)).front().indexes;
      if (indexes.empty() || indexes.front().ready) return indexes;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  OpenedStore opened_;
  CollectionRef posts_;
};

}  // namespace

TEST_F(IndexResumeTest, IsFilledAtTheNextStart) {
  interrupt(false);
  opened_.reopen();
  ASSERT_EQ(finished().size(), 1u);
  EXPECT_EQ(opened_.store().check().problems, std::vector<std::string>());
  Query query;
  query.collection = posts_;
  query.explain = true;
  query.filter = doc::Filter::parse(doc::parseJson(R"({"n":5})").value()).value();
  const QueryResult found = opened_.must(opened_.store().find(query));
  EXPECT_EQ(found.explain.index, "n_1");
  EXPECT_EQ(found.documents.size(), 2u);
}

TEST_F(IndexResumeTest, ContinuesAtItsPosition) {
  // The entries up to this position do not exist, so the result shows whether they are filled again.
  interrupt(false, 200, "199");
  opened_.reopen();
  ASSERT_EQ(finished().size(), 1u);
  Query query;
  query.collection = posts_;
  query.explain = true;
  query.limit = 1000;
  query.filter = doc::Filter::parse(doc::parseJson(R"({"n":{"$gte":0}})").value()).value();
  const QueryResult found = opened_.must(opened_.store().find(query));
  EXPECT_EQ(found.explain.index, "n_1");
  EXPECT_EQ(found.documents.size(), 51u) << "the last fifty, and the first slice";
  opened_.store().close();
  auto database = Database::open(opened_.path() / "store", {}, [](ProjectNo) { return 0; }).value();
  std::string position;
  EXPECT_TRUE(database->db()
                  .Get({}, database->family(Family::system),
                       row::of(row::kIndexBuild, kControlProject, posts_.number + 1), &position)
                  .IsNotFound());
}

// The first document with n 0 owns the entry; the fill will find the other one.
TEST_F(IndexResumeTest, UpdatesOfIncludedFieldsLeaveWhatIsNotTheirs) {
  interrupt(true, 0, "", {"state"});
  std::latch held(1);
  asio::post(opened_.cores().at(0), [&] { held.wait(); });  // where the fill runs
  opened_.reopen();
  const auto update = [&](const std::string& id, int n) {
    return change(id, fmt::format(R"({{"id":"{}","n":{},"state":"new"}})", id, n)).has_value();
  };
  EXPECT_TRUE(update("200", 0));
  EXPECT_TRUE(update("000", 0));
  EXPECT_TRUE(update("007", 7));
  EXPECT_FALSE(update("008", 0)) << "the value is taken";
  for (int i = 200; i < 250; ++i) EXPECT_TRUE(change(fmt::format("{}", i), std::nullopt));
  held.count_down();
  ASSERT_EQ(finished().size(), 1u);
  EXPECT_EQ(opened_.store().check().problems, std::vector<std::string>());
}

TEST_F(IndexResumeTest, IsDroppedWhereItCannotBe) {
  interrupt(true);
  opened_.reopen();
  EXPECT_TRUE(finished().empty());
  EXPECT_EQ(opened_.store().check().problems, std::vector<std::string>());
}

}  // namespace mb::store::embedded
