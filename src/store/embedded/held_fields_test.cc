// Fields that entries hold in addition to their keys: conditions on them give the same results as on the document,
// their stored form, and how entries are rewritten when the fields change.
#include "store/embedded/held_fields.h"

#include <random>

#include "document/filter_match.h"
#include "document/json.h"
#include "store/embedded/database.h"
#include "store/embedded/index_entries.h"
#include "store/embedded/keys.h"
#include "store/embedded/testing.h"

namespace mb::store::embedded {

namespace {

doc::Document heldDocument(std::string_view text) {
  return doc::parseJson(text).value();
}

std::shared_ptr<Index> indexOf(std::vector<std::string> include, bool unique = false) {
  IndexSpec spec;
  spec.keys = {{"n", 1}};
  spec.unique = unique;
  spec.include = std::move(include);
  return compileIndex(7, std::move(spec), true).value();
}

std::string heldIn(const std::vector<std::string>& include, std::string_view document) {
  const auto index = indexOf(include);
  const std::string stored = heldOf(*index, heldDocument(document), 1);
  const auto fields = heldFields(*index, stored);
  return fields ? doc::toJson(*fields) : "";
}

TEST(HeldFields, AreAsTheDocumentHasThem) {
  EXPECT_EQ(heldIn({"a"}, R"({"a":1,"b":2})"), R"({"a":1})");
  EXPECT_EQ(heldIn({"a", "b.c"}, R"({"b":{"c":[1,{"x":2}],"d":3},"a":null})"), R"({"a":null,"b":{"c":[1,{"x":2}]}})");
  EXPECT_EQ(heldIn({"a", "b.c"}, R"({"x":1})"), "{}");
  EXPECT_EQ(heldIn({"b.c", "b.d"}, R"({"b":{"e":1}})"), R"({"b":{}})");
  // Arrays and values that are not objects are held whole, wherever the path meets them.
  EXPECT_EQ(heldIn({"b.c"}, R"({"b":[{"c":1,"d":2},3,{"d":4}]})"), R"({"b":[{"c":1,"d":2},3,{"d":4}]})");
  EXPECT_EQ(heldIn({"b.c"}, R"({"b":5})"), R"({"b":5})");
  EXPECT_EQ(heldIn({"b.0"}, R"({"b":[1,2],"c":1})"), R"({"b":[1,2]})");
  // A path below another adds nothing.
  EXPECT_EQ(heldIn({"a", "a.b", "a.b.c"}, R"({"a":{"b":{"c":1},"d":2}})"), R"({"a":{"b":{"c":1},"d":2}})");
}

TEST(HeldFields, AreBounded) {
  const auto index = indexOf({"a"});
  const auto text = [](size_t size) { return heldDocument(fmt::format(R"({{"a":"{}"}})", std::string(size, 'x'))); };
  EXPECT_FALSE(heldOf(*index, text(1000), 1).empty());
  EXPECT_TRUE(heldOf(*index, text(1020), 1).empty());
  EXPECT_FALSE(heldOf(*index, text(100), 100).empty());
  EXPECT_TRUE(heldOf(*index, text(100), 200).empty());
}

TEST(HeldFields, ADecidedConditionIsDecidedAsByTheDocument) {
  const std::vector<std::string> documents = {R"({})",
                                              R"({"a":null})",
                                              R"({"a":{"b":1}})",
                                              R"({"a":{"b":null},"c":2})",
                                              R"({"a":{"c":1}})",
                                              R"({"a":5})",
                                              R"({"a":[]})",
                                              R"({"a":[1,{"b":1},{"b":[2,3]}]})",
                                              R"({"a":[{"x":1},{"b":null}]})",
                                              R"({"a":{"b":[1,{"d":4}]}})",
                                              R"({"a":[[{"b":1}]],"c":[1,2]})",
                                              R"({"a":{"b":{"d":4},"x":1},"c":"1"})"};
  const std::vector<std::string> filters = {R"({"a.b":1})",
                                            R"({"a.b":null})",
                                            R"({"a.b":{"$ne":1}})",
                                            R"({"a.b":{"$exists":false}})",
                                            R"({"a.b":{"$not":{"$gt":1}}})",
                                            R"({"a.b.d":{"$gte":4}})",
                                            R"({"a.b":{"$elemMatch":{"d":4}}})",
                                            R"({"a.b":{"$size":2}})",
                                            R"({"a.b":{"$all":[2,3]}})",
                                            R"({"a.b":{"$type":"array"}})",
                                            R"({"$or":[{"a.b":3},{"c":2}]})",
                                            R"({"$nor":[{"a.b":1},{"c":{"$in":[1,"1"]}}]})",
                                            R"({"a.b.0":1})",
                                            R"({"c":{"$elemMatch":{"$gt":1}}})"};
  const auto index = indexOf({"a.b", "c"});
  for (const std::string& filter : filters) {
    const auto parsed = doc::Filter::parse(heldDocument(filter)).value();
    EXPECT_TRUE(isDecidedBy(index->held, parsed.root())) << filter;
    for (const std::string& document : documents) {
      const std::string stored = heldOf(*index, heldDocument(document), 1);
      const auto fields = heldFields(*index, stored);
      ASSERT_TRUE(fields);
      EXPECT_EQ(doc::matchesDocument(parsed.root(), *fields), parsed.matches(heldDocument(document)))
          << filter << document;
    }
  }
  for (const char* filter : {R"({"a":1})", R"({"a.c":1})", R"({"a":{"$elemMatch":{"b":1}}})", R"({"d":null})",
                             R"({"$or":[{"a.b":1},{"d":1}]})", R"({"$nor":[{"a.b":1,"a.x":1}]})", R"({"ab":1})"}) {
    EXPECT_FALSE(isDecidedBy(index->held, doc::Filter::parse(heldDocument(filter)).value().root())) << filter;
  }
}

TEST(HeldFields, GoldenBytesOfValues) {
  using std::string_literals::operator""s;
  EntrySet entries;
  std::string buffer;
  const doc::Document document = heldDocument(R"({"id":"x1","n":5,"a":true})");
  const std::string fields = "\x00\x00\x00\x01\x09\x00\x00\x00\x08\x61\x00\x01\x00"s;
  const auto plain = indexOf({});
  ASSERT_TRUE(collectEntries(*plain, 1, document, "x1", entries));
  const std::string idAt(entryValue(*plain, entries, 0, document, "x1", buffer));
  EXPECT_EQ(idAt.size(), 2u);
  const auto including = indexOf({"a"});
  ASSERT_TRUE(collectEntries(*including, 1, document, "x1", entries));
  EXPECT_EQ(entryValue(*including, entries, 0, document, "x1", buffer), idAt + fields);
  EXPECT_EQ(entryParts(*including, entries.key(0), idAt + fields).id, "x1");
  const auto unique = indexOf({"a"}, true);
  ASSERT_TRUE(collectEntries(*unique, 1, document, "x1", entries));
  EXPECT_EQ(entryValue(*unique, entries, 0, document, "x1", buffer), "\x00\x02x1"s + fields);
  EXPECT_EQ(entryParts(*unique, entries.key(0), "\x00\x02x1"s + fields).id, "x1");
  const auto bare = indexOf({}, true);
  ASSERT_TRUE(collectEntries(*bare, 1, document, "x1", entries));
  EXPECT_EQ(entryValue(*bare, entries, 0, document, "x1", buffer), "x1");
}

class HeldFieldsTest : public ::testing::Test {
 protected:
  static constexpr int kDocuments = 1200;

  void SetUp() override {
    const CollectionInfo info = opened_.must(opened_.store().createCollection(kControlProject, "posts", {}, {}));
    posts_ = {kControlProject, info.number, info.version};
    for (int i = 0; i < kDocuments; ++i) put(i, i % 10);
    index({{"group", 1}});
    index({{"group", -1}, {"other", 1}});
  }
  void index(std::vector<IndexKey> keys) {
    IndexSpec spec;
    spec.keys = std::move(keys);
    opened_.must(opened_.store().createIndex(current(), std::move(spec), {}));
  }
  CollectionRef current() {
    posts_.version = opened_.must(opened_.store().collections(kControlProject)).front().version;
    return posts_;
  }
  // Returns false if the collection changed concurrently.
  bool tryPut(int i, int owner) {
    const std::string id = fmt::format("{:04}", i);
    doc::Document document = heldDocument(fmt::format(R"({{"id":"{}","group":1,"owner":{}}})", id, owner));
    return testing::runOn(opened_.cores(), 0, testing::put(opened_.store(), current(), id, std::move(document)))
        .has_value();
  }
  void put(int i, int owner) {
    while (!tryPut(i, owner)) {
    }
  }
  QueryResult find(int owner, Projection projection = Projection::documents, std::string_view group = R"({"$lte":1})") {
    Query query;
    query.collection = posts_;
    query.limit = 10'000;
    query.projection = projection;
    query.explain = true;
    query.filter = doc::Filter::parse(heldDocument(fmt::format(R"({{"group":{},"owner":{}}})", group, owner))).value();
    return opened_.must(opened_.store().find(std::move(query)));
  }
  void hold(std::vector<std::string> paths) {
    opened_.store().holdFields(kControlProject, posts_.number, std::move(paths));
  }
  // Waits until all entries are rewritten: then either only matching documents are read, or all.
  void waitUntilRewritten(bool holding) {
    while (true) {
      const QueryResult found = find(3);
      ASSERT_EQ(found.documents.size(), kDocuments / 10u);
      if (found.explain.documentsExamined == (holding ? found.documents.size() : kDocuments)) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  // The collection as in the durable catalogue of an open store.
  Schema onDisk() {
    const std::filesystem::path copy = opened_.path() / fmt::format("copy{}", copies_++);
    if (!opened_.store().checkpoint(copy)) throw std::runtime_error("no checkpoint");
    auto database = Database::open(copy, {}, [](ProjectNo) { return 0; }).value();
    std::string row;
    const std::string key = row::of(row::kCollection, kControlProject, posts_.number);
    database->db().Get({}, database->family(Family::system), key, &row).ok();
    return decodeSchema(posts_.number, row).value();
  }
  bool isRefilling() {
    const Schema schema = onDisk();
    return std::ranges::any_of(schema.indexes, &Index::refilling);
  }

  OpenedStore opened_;
  CollectionRef posts_;
  int copies_ = 0;
};

TEST_F(HeldFieldsTest, EntriesAreRewrittenWhenTheyChange) {
  EXPECT_EQ(find(3).explain.documentsExamined, uint64_t{kDocuments});
  hold({"owner"});
  waitUntilRewritten(true);
  EXPECT_EQ(find(3, Projection::ids, "1").explain.documentsExamined, 0u);
  EXPECT_EQ(opened_.store().check().problems, std::vector<std::string>());
  put(3, 4);
  put(4, 3);
  put(13, 3);
  EXPECT_EQ(find(3).documents.size(), kDocuments / 10u);
  hold({});
  waitUntilRewritten(false);
  EXPECT_EQ(opened_.store().check().problems, std::vector<std::string>());
  opened_.reopen();
  hold({"state"});
  hold({"owner", "state"});
  waitUntilRewritten(true);
  EXPECT_EQ(opened_.store().check().problems, std::vector<std::string>());
}

// A corrupt build position ends the refill, and leaves indexes that are marked as refilling without a running fill.
TEST_F(HeldFieldsTest, RepeatsAFailedRefill) {
  hold({"owner"});
  waitUntilRewritten(true);
  opened_.store().close();
  {
    auto database = Database::open(opened_.path() / "store", {}, [](ProjectNo) { return 0; }).value();
    auto* system = database->family(Family::system);
    const std::string key = row::of(row::kCollection, kControlProject, posts_.number);
    std::string row;
    ASSERT_TRUE(database->db().Get({}, system, key, &row).ok());
    Schema schema = decodeSchema(posts_.number, row).value();
    rocksdb::WriteBatch batch;
    for (auto& index : schema.indexes) {
      auto interrupted = std::make_shared<Index>(*index);
      interrupted->refilling = true;
      index = std::move(interrupted);
      batch.Put(system, row::of(row::kIndexBuild, kControlProject, index->number), "corrupt");
    }
    batch.Put(system, key, encodeSchema(schema));
    database->write(batch);
  }
  opened_.reopen();
  waitUntilRewritten(true);  // from the fields that the entries hold already
  hold({"state"});
  hold({"owner", "state"});
  waitUntilRewritten(true);
  while (isRefilling()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(opened_.store().check().problems, std::vector<std::string>());
}

// Many indexes are refilled, at most two at once, until all are done.
TEST_F(HeldFieldsTest, ManyIndexesAreRewritten) {
  for (int i = 0; i < 12; ++i) index({{fmt::format("f{}", i), 1}});
  hold({"owner"});
  while (!isRefilling()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  opened_.reopen();
  hold({"owner", "state"});
  hold({"owner"});
  while (isRefilling() || onDisk().held != std::vector<std::string>{"owner"}) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  waitUntilRewritten(true);
  EXPECT_EQ(opened_.store().check().problems, std::vector<std::string>());
}

TEST_F(HeldFieldsTest, AnswersHoldWhileEntriesAreRewritten) {
  std::map<int, int> owners;
  for (int i = 0; i < kDocuments; ++i) owners[i] = i % 10;
  std::mt19937 random(1);
  for (int round = 0; round < 60; ++round) {
    if (round % 10 == 0) hold(round % 20 == 0 ? std::vector<std::string>{"owner"} : std::vector<std::string>{"state"});
    const int i = static_cast<int>(random() % kDocuments);
    owners[i] = static_cast<int>(random() % 10);
    put(i, owners[i]);
    std::vector<std::string> expected;
    for (const auto& [id, owner] : owners) {
      if (owner == owners[i]) expected.push_back(fmt::format("{:04}", id));
    }
    std::vector<std::string> got;
    for (const doc::Document& document : find(owners[i]).documents) {
      got.emplace_back(document.view().stringOr("id"));
    }
    ASSERT_EQ(got, expected);
    if (round % 15 == 7) ASSERT_EQ(opened_.store().check().problems, std::vector<std::string>());
    if (round % 20 == 11) opened_.reopen();
  }
}

TEST_F(HeldFieldsTest, TheCheckSeesWhatAnEntryHolds) {
  hold({"owner"});
  waitUntilRewritten(true);
  opened_.store().close();
  {
    auto database = Database::open(opened_.path() / "store", {}, [](ProjectNo) { return 0; }).value();
    const std::unique_ptr<rocksdb::Iterator> at(database->db().NewIterator({}, database->family(Family::indexes)));
    at->SeekToFirst();
    ASSERT_TRUE(at->Valid());
    std::string value(view(at->value()));
    ASSERT_GT(value.size(), 6u);
    value[value.size() - 2] = static_cast<char>(value[value.size() - 2] + 1);
    rocksdb::WriteBatch batch;
    batch.Put(database->family(Family::indexes), at->key(), slice(value));
    database->write(batch);
  }
  opened_.reopen();
  const auto problems = opened_.store().check().problems;
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems.front().find("its entry in index group_1 does not match the document"), std::string::npos)
      << problems.front();
}

}  // namespace

}  // namespace mb::store::embedded
