#include "data/service_documents.h"

#include "data/data_fixture.h"

namespace mb::data {
namespace {

class SnapshotFinder final : public CollectionFinder {
 public:
  SnapshotFinder(snapshot::Snapshots& snapshots, store::ProjectNo project, snapshot::SlotKey<CollectionTable> slot)
      : snapshots_(snapshots), project_(project), slot_(slot) {}
  Task<CollectionPtr> find(std::string name) override {
    CO_TRY(const snapshot::SnapshotPtr project, co_await snapshots_.byNumber(project_));
    const CollectionPtr* found = project->get(slot_).find(name);
    if (!found) co_return fail(ErrorCode::notFound, "no such collection");
    co_return *found;
  }

 private:
  snapshot::Snapshots& snapshots_;
  const store::ProjectNo project_;
  const snapshot::SlotKey<CollectionTable> slot_;
};

class ServiceDocumentsTest : public DataTest {
 protected:
  ServiceAccess access() { return {finder_, {store::ActorKind::function, "fn_1/2"}, soon()}; }
  Result<std::string> insert(const std::string& name, std::string_view document) {
    auto made = run(documents().insertOne(access(), name, json(document)));
    if (!made) return std::unexpected(std::move(made).error());
    return doc::toJson(*made);
  }
  Result<UpdateCounts> update(std::string_view filter, std::string_view change, std::string_view arrayFilters = "") {
    std::optional<doc::Document> filters;
    if (!arrayFilters.empty())
      filters = doc::Document(doc::parseJsonValue(arrayFilters)->view().begin()->value.asDocument());
    return run(documents().updateMany(access(), "notes", json(filter), json(change), std::move(filters)));
  }
  // Fields of all notes, in ascending id.
  std::string all(const char* field = "n") {
    std::string text;
    for (const doc::Document& each : *run(documents().find(access(), "notes", {}, {}))) {
      const auto value = each.view().find(field);
      if (!text.empty()) text += ' ';
      if (value) doc::writeJsonValue(text, *value);
    }
    return text;
  }
  void notes(int count) {
    for (int i = 0; i < count; ++i) {
      expectOk(insert("notes", fmt::format(R"({{"id":"n{:04}","n":{}}})", i, i)));
    }
  }
  std::vector<store::ChangeEntry> changes() {
    std::vector<store::ChangeEntry> found;
    while (true) {
      auto batch = run(store_.feed().changes(project_, found.empty() ? 0 : found.back().position, 100));
      if (batch->entries.empty()) return found;
      for (auto& each : batch->entries) found.push_back(std::move(each));
    }
  }
  ServiceDocuments& documents() { return data_->serviceDocuments(); }

  SnapshotFinder finder_{snapshots_, project_, data_->slot()};
};

TEST_F(ServiceDocumentsTest, anInsertPassesSchemaAndServerFieldsAndNoPolicy) {
  collection("notes", "", R"({"type":"object","properties":{"n":{"type":"integer"},"at":{"x-bson":"date"}}})");
  const auto made = insert("notes", R"({"n":1,"at":"2026-01-01T00:00:00Z"})");
  expectOk(made);
  const doc::Document stored = json(*made);
  EXPECT_EQ(20, stored.view().stringOr("id").size());
  EXPECT_FALSE(stored.view().stringOr("createdAt").empty());
  EXPECT_FALSE(stored.view().find("ownerId"));
  expectError(ErrorCode::validation, insert("notes", R"({"n":"one"})"));
  expectError(ErrorCode::validation, insert("notes", R"({"id":"a b"})"));
  expectError(ErrorCode::notFound, insert("nothing", "{}"));
  ASSERT_EQ(1, changes().size());
  EXPECT_EQ(store::ActorKind::function, changes()[0].actor.kind);
  EXPECT_EQ("fn_1/2", changes()[0].actor.id);
}

TEST_F(ServiceDocumentsTest, anInsertOverSomethingIsAConflict) {
  collection("notes");
  expectOk(run(data_->collections().createIndex(managing(), "notes",
                                                *doc::decode<NewIndex>(json(R"({"keys":{"n":1},"unique":true})")))));
  expectOk(insert("notes", R"({"id":"a","n":1})"));
  expectError(ErrorCode::conflict, insert("notes", R"({"id":"a","n":2})"));
  expectError(ErrorCode::conflict, insert("notes", R"({"id":"b","n":1})"));
}

TEST_F(ServiceDocumentsTest, findsByFilterSortSkipAndLimit) {
  collection("notes");
  notes(10);
  FindOptions options{.limit = 3, .skip = 1, .sort = {{"n", -1}}};
  const auto found = run(documents().find(access(), "notes", json(R"({"n":{"$lt":8}})"), options));
  ASSERT_TRUE(found);
  ASSERT_EQ(3, found->size());
  EXPECT_EQ("n0006", found->front().view().stringOr("id"));
  EXPECT_EQ(8, *run(documents().count(access(), "notes", json(R"({"n":{"$lt":8}})"))));
  EXPECT_TRUE(run(documents().find(access(), "notes", {}, {.limit = 0, .skip = 0, .sort = {}}))->empty());
  expectError(ErrorCode::invalidFilter, run(documents().find(access(), "notes", json(R"({"$where":"1"})"), {})));
}

TEST_F(ServiceDocumentsTest, changesManyHundredACommit) {
  collection("notes");
  notes(250);
  const size_t before = store_.writes();
  const auto counts = update(R"({"n":{"$gte":10}})", R"({"$inc":{"n":1000}})");
  expectOk(counts);
  EXPECT_EQ(240, counts->matched);
  EXPECT_EQ(240, counts->modified);
  EXPECT_EQ(3, store_.writes() - before);
  EXPECT_EQ(250 + 240, changes().size());
}

TEST_F(ServiceDocumentsTest, changesFewerACommitWhereOneWouldCostTooMuch) {
  collection("notes");
  const std::string text(100'000, 'a');
  for (int i = 0; i < 60; ++i) {
    expectOk(insert("notes", fmt::format(R"({{"id":"n{:02}","n":{},"list":["{}","b"]}})", i, i, text)));
  }
  const size_t before = store_.writes();
  const auto counts = update("{}", R"({"$inc":{"n":1000},"$pull":{"list":{"$regex":"^b"}}})");
  expectOk(counts);
  EXPECT_EQ(60, counts->matched);
  EXPECT_EQ(60, counts->modified);
  EXPECT_GT(store_.writes() - before, 1u);
  std::string wanted;
  for (int i = 0; i < 60; ++i) wanted += (i == 0 ? "" : " ") + std::to_string(1000 + i);
  EXPECT_EQ(wanted, all());
}

TEST_F(ServiceDocumentsTest, aDocumentThatCostsTooMuchEndsIt) {
  collection("notes");
  const std::string text(900'000, 'a');
  expectOk(insert("notes", R"({"id":"a","n":1,"list":["b"]})"));
  expectOk(insert("notes", R"({"id":"b","n":2,"list":[")" + text + R"("]})"));
  expectError(ErrorCode::queryTooCostly, update("{}", R"({"$inc":{"n":1000},"$pull":{"list":{"$regex":"a.{900}c"}}})"));
  EXPECT_EQ("1001 2", all());
}

TEST_F(ServiceDocumentsTest, whatStaysTheSameIsNoChange) {
  collection("notes");
  notes(3);
  const auto counts = update("{}", R"({"$max":{"n":1}})");
  expectOk(counts);
  EXPECT_EQ(3, counts->matched);
  EXPECT_EQ(1, counts->modified);
  EXPECT_EQ("1 1 2", all());
  EXPECT_EQ(3 + 1, changes().size());
}

TEST_F(ServiceDocumentsTest, takesFieldsAndPositionalOperators) {
  collection("notes");
  expectOk(insert("notes", R"({"id":"a","n":[1,5,9]})"));
  expectOk(insert("notes", R"({"id":"b","n":[2,6]})"));
  expectOk(update(R"({"n":5})", R"({"$set":{"n.$":50}})"));
  EXPECT_EQ("[1,50,9] [2,6]", all());
  expectOk(update("{}", R"({"$inc":{"n.$[big]":100}})", R"([{"big":{"$gte":6}}])"));
  EXPECT_EQ("[1,150,109] [2,106]", all());
  expectOk(update(R"({"id":"a"})", R"({"n":0,"id":"zz","createdAt":0})"));
  EXPECT_EQ("0 [2,106]", all());
  EXPECT_EQ(R"("a" "b")", all("id"));
  expectError(ErrorCode::invalidUpdate, update("{}", R"({"$set":{"n":1},"m":2})"));
  expectError(ErrorCode::invalidUpdate, update("{}", R"({"$nothing":{"n":1}})"));
  expectError(ErrorCode::invalidUpdate, update("{}", R"({"$set":{"n.$[x]":1}})", R"([{"y":1}])"));
}

TEST_F(ServiceDocumentsTest, theFirstThatCannotBeChangedEndsIt) {
  collection("notes", "", R"({"type":"object","properties":{"n":{"maximum":12}}})");
  notes(6);
  const auto refused = update("{}", R"({"$inc":{"n":10}})");
  expectError(ErrorCode::validation, refused);
  EXPECT_EQ("10 11 12 3 4 5", all());
}

TEST_F(ServiceDocumentsTest, aUniqueIndexEndsItAtTheOneThatBreaksIt) {
  collection("notes");
  expectOk(run(data_->collections().createIndex(managing(), "notes",
                                                *doc::decode<NewIndex>(json(R"({"keys":{"n":1},"unique":true})")))));
  notes(5);
  // 0 and 1 become 20 and 21; 2 becomes 22; the fourth would duplicate an existing value.
  expectOk(insert("notes", R"({"id":"z","n":23})"));
  expectError(ErrorCode::conflict, update(R"({"id":{"$lt":"z"}})", R"({"$inc":{"n":20}})"));
  EXPECT_EQ("20 21 22 3 4 23", all());
}

// Of several documents that cannot be changed the first is reported, also if only the commit detects it.
TEST_F(ServiceDocumentsTest, aUniqueIndexEndsItBeforeALaterDocumentThatDoesNotFit) {
  collection("notes", "", R"({"type":"object","properties":{"n":{"maximum":11}}})");
  expectOk(run(data_->collections().createIndex(managing(), "notes",
                                                *doc::decode<NewIndex>(json(R"({"keys":{"n":1},"unique":true})")))));
  notes(3);
  expectOk(insert("notes", R"({"id":"z","n":10})"));
  const auto refused = update(R"({"id":{"$lt":"z"}})", R"({"$inc":{"n":10}})");
  expectError(ErrorCode::conflict, refused);
  EXPECT_EQ("the unique index \"n_1\" already holds this value", refused.error().message());
  EXPECT_EQ("0 1 2 10", all());
}

TEST_F(ServiceDocumentsTest, deletesManyAndTellsHowMany) {
  collection("notes");
  notes(120);
  EXPECT_EQ(110, *run(documents().deleteMany(access(), "notes", json(R"({"n":{"$gte":10}})"))));
  EXPECT_EQ("0 1 2 3 4 5 6 7 8 9", all());
  EXPECT_EQ(0, *run(documents().deleteMany(access(), "notes", json(R"({"n":-1})"))));
}

TEST_F(ServiceDocumentsTest, nothingBeginsOnceTheRunIsOver) {
  collection("notes");
  notes(1);
  std::stop_source over;
  over.request_stop();
  ServiceAccess late = access();
  late.aborted = over.get_token();
  expectError(ErrorCode::unavailable, run(documents().deleteMany(late, "notes", {})));
  EXPECT_EQ("0", all());
}

TEST_F(ServiceDocumentsTest, whatIsNotLoggedIsNoChange) {
  collection("notes");
  ServiceAccess quiet = access();
  quiet.logged = false;
  expectOk(run(documents().insertOne(quiet, "notes", json("{}"))));
  EXPECT_TRUE(changes().empty());
}

}  // namespace
}  // namespace mb::data
