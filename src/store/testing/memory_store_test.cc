#include "store/testing/memory_store.h"

#include <gtest/gtest.h>

#include "document/json.h"
#include "store/testing/running.h"
#include "store/testing/writing.h"

namespace mb::store::testing {
namespace {

class MemoryStoreTest : public ::testing::Test {
 protected:
  MemoryStoreTest() : cores_(1) { cores_.start(); }
  ~MemoryStoreTest() override {
    cores_.stop();
    cores_.join();
  }
  template <class T>
  Result<T> run(Task<T> task) {
    return runOn(cores_, 0, std::move(task));
  }
  Result<WriteOutcome> put(const CollectionRef& collection, std::string id, const std::string& json) {
    WriteOptions options{.deadline = {}, .actor = {}, .bumpEpochs = {collection.project}};
    return run(testing::put(store_, collection, std::move(id), *doc::parseJson(json), std::move(options)));
  }

  Cores cores_;
  MemoryStore store_{
      {{10,
        "__users",
        {{.name = "email_1", .keys = {{"email", 1}}, .unique = true, .partialFilter = {}, .expireAfterSeconds = {}}}}}};
  const CollectionRef users_{2, 10, 0};
};

TEST_F(MemoryStoreTest, KeepsWhatWasWrittenAndRefusesDuplicates) {
  ASSERT_TRUE(put(users_, "a", R"({"id":"a","email":"x"})"));
  EXPECT_EQ(store_.epoch(2).value, 1U);
  const auto refused = put(users_, "b", R"({"id":"b","email":"x"})");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::conflict);
  ASSERT_NE(refused.error().violation(), nullptr);
  EXPECT_EQ(refused.error().violation()->name, "email_1");
  EXPECT_EQ(store_.epoch(2).value, 1U);
  EXPECT_TRUE((*run(store_.get(users_, "a"))).has_value());
  EXPECT_FALSE((*run(store_.get(users_, "b"))).has_value());
  EXPECT_FALSE((*run(store_.get({3, 10, 0}, "a"))).has_value());
}

TEST_F(MemoryStoreTest, FindsByFilterInOrder) {
  for (const char* id : {"c", "a", "b"}) {
    ASSERT_TRUE(put(users_, id, std::string(R"({"id":")") + id + R"(","email":")" + id + R"("})"));
  }
  Query query{.collection = users_, .filter = {}, .skip = 1, .limit = 1, .sort = {{"email", -1}}, .deadline = {}};
  const auto found = run(store_.find(std::move(query)));
  ASSERT_EQ(found->documents.size(), 1U);
  EXPECT_EQ(found->documents[0].view().stringOr("id"), "b");
}

TEST_F(MemoryStoreTest, RefusesAWriteUnderAnOldCatalogue) {
  const auto made = run(store_.createCollection(2, "posts", {}, {}));
  ASSERT_TRUE(made);
  const CollectionRef posts{2, made->number, made->version};
  ASSERT_TRUE(put(posts, "a", R"({"id":"a"})"));
  ASSERT_TRUE(run(store_.alterCollection(posts, {.name = "notes", .config = {}}, {})));
  const auto stale = put(posts, "b", R"({"id":"b"})");
  ASSERT_FALSE(stale);
  EXPECT_EQ(stale.error().code(), ErrorCode::staleCatalogue);
  const auto taken = run(store_.createCollection(2, "Notes", {}, {}));
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code(), ErrorCode::conflict);
}

TEST_F(MemoryStoreTest, LogsChangesOfUserCollections) {
  const CollectionInfo info = *run(store_.createCollection(2, "posts", {}, {}));
  const CollectionRef posts{2, info.number, info.version};
  uint64_t lastPosition = 0;
  const auto listening = store_.feed().listen([&](ProjectNo, uint64_t position) { lastPosition = position; });
  ASSERT_TRUE(put(users_, "u", R"({"id":"u"})"));
  ASSERT_TRUE(put(posts, "a", R"({"id":"a","n":1})"));
  ASSERT_TRUE(put(posts, "a", R"({"id":"a","n":2})"));
  EXPECT_EQ(lastPosition, 2u);
  ChangeBatch batch = *run(store_.feed().changes(2, 0, 10));
  ASSERT_EQ(batch.entries.size(), 2u);
  EXPECT_EQ(batch.lostUpTo, 0u);
  EXPECT_EQ(batch.through, 2u);
  EXPECT_EQ(batch.entries[0].kind, ChangeEntry::Kind::insert);
  EXPECT_EQ(batch.entries[1].kind, ChangeEntry::Kind::update);
  EXPECT_EQ(batch.entries[1].before, batch.entries[0].after);
  store_.feed().trimTo(2, 1);
  batch = *run(store_.feed().changes(2, 0, 10));
  EXPECT_EQ(batch.lostUpTo, 1u);
  EXPECT_EQ(batch.through, 2u);
  EXPECT_EQ(batch.entries.size(), 1u);
}

TEST_F(MemoryStoreTest, PagesContinueInTheOrderOfValues) {
  const CollectionInfo info = *run(store_.createCollection(2, "posts", {}, {}));
  const CollectionRef posts{2, info.number, info.version};
  const char* values[] = {R"("n":"a")", R"("n":[5,-1])", R"("n":[])", R"("m":1)", R"("n":null)", R"("n":2.5)"};
  for (size_t i = 0; i < std::size(values); ++i) {
    const std::string id = fmt::format("d{}", i);
    ASSERT_TRUE(put(posts, id, fmt::format(R"({{"id":"{}",{}}})", id, values[i])));
  }
  for (const auto& [direction, expected] : {std::pair(1, "d2 d3 d4 d1 d5 d0 "), std::pair(-1, "d0 d1 d5 d3 d4 d2 ")}) {
    std::string ids;
    Query query;
    query.collection = posts;
    query.sort = {{"n", direction}};
    query.limit = 2;
    query.paged = query.seesMore = true;
    for (bool more = true; more;) {
      const QueryResult page = *run(store_.find(query));
      for (const doc::Document& each : page.documents) ids += std::string(each.view().stringOr("id")) + " ";
      more = page.more;
      query.after = page.next;
    }
    EXPECT_EQ(ids, expected);
  }
}

}  // namespace
}  // namespace mb::store::testing
