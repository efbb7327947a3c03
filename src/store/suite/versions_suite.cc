#include <boost/asio/this_coro.hpp>
#include <latch>
#include <set>

#include "store/suite/store_suite.h"
#include "store/testing/writing.h"

namespace mb::store::suite {

namespace {

DocumentVersion versionOf(const std::optional<VersionedDocument>& found) {
  return found ? found->version : 0;
}

// Replaces the document if it still has the version; counts its success in `won`.
Task<> replaceIf(DocumentStore& store, CollectionRef collection, DocumentVersion expected, int n,
                 std::atomic<int>& won) {
  Write write(writeOptions());
  const Target target = write.change(collection, "a");
  const auto written = co_await store.write(
      std::move(write), [target, expected, n](const PreImages& before, Changes& changes) -> Result<> {
        if (before.version(target) != expected) return fail(ErrorCode::conflict, "another version");
        changes.put(target, json(fmt::format(R"({{"id":"a","n":{}}})", n)));
        return {};
      });
  if (written) ++won;
  co_return Result<>();
}

}  // namespace

TEST_P(StoreSuite, EachWriteGivesItsDocumentAnotherVersion) {
  const CollectionRef posts = makeCollection("posts");
  std::set<DocumentVersion> seen{0};
  for (int i = 0; i < 200; ++i) {
    Write write(writeOptions());
    const Target target = write.change(posts, "a");
    const DocumentVersion last = versionOf(must(store().getVersioned(posts, "a")));
    const WriteOutcome outcome =
        must(store().write(std::move(write), [target, last](const PreImages& before, Changes& changes) -> Result<> {
          EXPECT_EQ(before.version(target), last);
          // The contents stay.
          changes.put(target, json(R"({"id":"a","n":1})"));
          return {};
        }));
    EXPECT_TRUE(seen.insert(outcome.version(target)).second) << i;
    const auto found = must(store().getVersioned(posts, "a"));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->version, outcome.version(target));
    EXPECT_EQ(text(found->document), R"({"id":"a","n":1})");
    if (i % 50 == 7) engine().reopen();
  }
  EXPECT_TRUE(engine().problems().empty());
}

TEST_P(StoreSuite, AVersionStaysUntilTheDocumentIsStored) {
  const CollectionRef posts = makeCollection("posts");
  ASSERT_TRUE(putAll(posts, {R"({"id":"a","n":1})", R"({"id":"b","n":1})"}));
  const DocumentVersion a = versionOf(must(store().getVersioned(posts, "a")));
  EXPECT_NE(a, 0u);
  EXPECT_NE(a, versionOf(must(store().getVersioned(posts, "b"))));
  Write write(writeOptions());
  const Target kept = write.change(posts, "a");
  const Target changed = write.change(posts, "b");
  const Target held = write.hold(posts, "c");
  const WriteOutcome outcome = must(store().write(std::move(write), [=](const PreImages& before, Changes& changes) {
    EXPECT_EQ(before.version(kept), a);
    EXPECT_EQ(before.version(held), 0u);
    changes.put(changed, json(R"({"id":"b","n":2})"));
    return Result<>();
  }));
  EXPECT_EQ(outcome.version(kept), 0u);
  EXPECT_EQ(outcome.version(held), 0u);
  EXPECT_EQ(outcome.version(changed), versionOf(must(store().getVersioned(posts, "b"))));
  EXPECT_EQ(versionOf(must(store().getVersioned(posts, "a"))), a);
  CollectionRef indexed = posts;
  makeIndex(indexed, index({{"n", 1}}));
  engine().reopen();
  EXPECT_EQ(versionOf(must(store().getVersioned(posts, "a"))), a);

  ASSERT_TRUE(remove(indexed, "a"));
  EXPECT_FALSE(must(store().getVersioned(posts, "a")));
  ASSERT_TRUE(put(indexed, R"({"id":"a","n":1})"));
  EXPECT_NE(versionOf(must(store().getVersioned(posts, "a"))), a);
  EXPECT_TRUE(engine().problems().empty());
}

TEST_P(StoreSuite, RecordsHaveNoVersions) {
  const CollectionRef posts = makeCollection("posts");
  const CollectionRef things{project_, kThings, 0};
  Write write(writeOptions());
  const Target post = write.change(posts, "p");
  const Target thing = write.change(things, "t");
  write.insert(Insert{things, json(R"({"id":"u","email":"u"})")});
  const WriteOutcome outcome = must(store().write(std::move(write), [=](const PreImages&, Changes& changes) {
    changes.put(post, json(R"({"id":"p"})"));
    changes.put(thing, json(R"({"id":"t","email":"t"})"));
    return Result<>();
  }));
  EXPECT_NE(outcome.version(post), 0u);
  EXPECT_EQ(outcome.version(thing), 0u);
  EXPECT_EQ(versionOf(must(store().getVersioned(things, "t"))), 0u);
  EXPECT_EQ(get(things, "u"), R"({"id":"u","email":"u"})");
}

TEST_P(StoreSuite, NoReadShowsVersionsAndNoSizeCountsThem) {
  CollectionRef posts = makeCollection("posts");
  IndexSpec covering = index({{"n", 1}});
  covering.covering = true;
  makeIndex(posts, covering);
  makeIndex(posts, index({{"m", 1}}));
  std::vector<std::string> all;
  std::vector<std::string> keys;
  uint64_t bytes = 0;
  for (int i = 100; i < 130; ++i) {
    keys.push_back(std::to_string(i));
    all.push_back(fmt::format(R"({{"id":"{}","n":1,"m":2,"o":[{}]}})", i, i));
    bytes += json(all.back()).size();
  }
  ASSERT_TRUE(putAll(posts, all));
  const auto texts = [](const std::vector<doc::Document>& documents) {
    std::vector<std::string> found;
    for (const doc::Document& each : documents) found.push_back(text(each));
    return found;
  };
  // From the disk, then from memory.
  for (int round = 0; round < 3; ++round) {
    for (const char* filter : {"{}", R"({"n":1})", R"({"m":2})", R"({"o":{"$gt":0}})", R"({"id":{"$gte":"1"}})"}) {
      EXPECT_EQ(texts(find(posts, filter).documents), all) << filter;
    }
    Query sorted;
    sorted.sort = {{"o", -1}};
    EXPECT_EQ(texts(find(posts, "{}", sorted).documents), std::vector<std::string>(all.rbegin(), all.rend()));
    std::vector<doc::Document> many;
    for (auto& each : must(store().getMany(posts, keys))) many.push_back(*std::move(each));
    EXPECT_EQ(texts(many), all);
    EXPECT_EQ(get(posts, "100"), all.front());
    EXPECT_EQ(must(store().stats(posts)).bytes, bytes);
    if (round == 0) engine().reopen();
  }
  for (const ChangeEntry& entry : must(engine().feed().changes(project_, 0, 100)).entries) {
    EXPECT_EQ(text(*entry.after), all[static_cast<size_t>(std::stoi(entry.id) - 100)]);
  }
  ASSERT_TRUE(put(posts, R"({"id":"100"})"));
  const auto last = must(engine().feed().changes(project_, 30, 100)).entries;
  ASSERT_EQ(last.size(), 1u);
  EXPECT_EQ(text(*last.front().before), all.front());
  EXPECT_TRUE(engine().problems().empty());
}

TEST_P(StoreSuite, OfManyWritersThatExpectAVersionOneWins) {
  const CollectionRef posts = makeCollection("posts");
  ASSERT_TRUE(put(posts, R"({"id":"a","n":0})"));
  for (int round = 0; round < 20; ++round) {
    const DocumentVersion expected = versionOf(must(store().getVersioned(posts, "a")));
    constexpr int kWriters = 50;
    std::atomic<int> won = 0;
    std::latch left(kWriters);
    for (int i = 0; i < kWriters; ++i) {
      asio::co_spawn(engine().cores().at(i % engine().cores().count()).get_executor(),
                     replaceIf(store(), posts, expected, i, won),
                     [&left](std::exception_ptr, Result<>) { left.count_down(); });
    }
    left.wait();
    EXPECT_EQ(won, 1);
  }
}

}  // namespace mb::store::suite
