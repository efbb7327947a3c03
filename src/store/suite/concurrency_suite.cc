#include <boost/asio/this_coro.hpp>
#include <latch>

#include "store/suite/store_suite.h"
#include "store/testing/writing.h"

namespace mb::store::suite {

namespace {

// Runs `count` coroutines, spread over the cores, and waits for all of them.
void runAll(Cores& cores, int count, const std::function<Task<>(int)>& make) {
  std::latch left(count);
  for (int i = 0; i < count; ++i) {
    asio::co_spawn(cores.at(i % cores.count()).get_executor(), make(i),
                   [&left](std::exception_ptr exception, Result<> result) {
                     EXPECT_FALSE(exception);
                     EXPECT_TRUE(result) << (result ? "" : result.error().message());
                     left.count_down();
                   });
  }
  left.wait();
}

Task<> increment(DocumentStore& store, CollectionRef collection, std::string id, int times) {
  for (int i = 0; i < times; ++i) {
    Write write(writeOptions());
    const Target counter = write.change(collection, id);
    CO_RETURN_IF_ERROR(
        co_await store.write(std::move(write), [id, counter](const PreImages& before, Changes& changes) -> Result<> {
          const auto value = before[counter] ? before[counter]->view().find("n") : std::nullopt;
          const int64_t next = (value ? value->toInteger().value_or(0) : 0) + 1;
          changes.put(counter, json(fmt::format(R"({{"id":"{}","n":{}}})", id, next)));
          return {};
        }));
  }
  co_return Result<>();
}

Task<> tryToTake(DocumentStore& store, CollectionRef collection, std::string id, std::string slug,
                 std::atomic<int>& won) {
  doc::Document document = json(fmt::format(R"({{"id":"{}","slug":"{}"}})", id, slug));
  auto taken = co_await testing::put(store, collection, id, std::move(document), writeOptions());
  if (taken) ++won;
  if (!taken && refusingIndex(taken).empty()) co_return fail(std::move(taken).error());
  co_return Result<>();
}

// Moves one unit between two accounts, which may be named in any order.
Task<> transfer(DocumentStore& store, CollectionRef collection, int from, int to, int times) {
  for (int i = 0; i < times; ++i) {
    Write write(writeOptions());
    const Target source = write.change(collection, std::to_string(from));
    const Target destination = write.change(collection, std::to_string(to));
    CO_RETURN_IF_ERROR(
        co_await store.write(std::move(write), [=](const PreImages& before, Changes& changes) -> Result<> {
          const auto add = [&](Target account, int id, int64_t amount) {
            const int64_t held = before[account]->view().find("n")->toInteger().value_or(0);
            changes.put(account, json(fmt::format(R"({{"id":"{}","n":{}}})", id, held + amount)));
          };
          add(source, from, -1);
          add(destination, to, 1);
          return {};
        }));
  }
  co_return Result<>();
}

// Writes documents under the version that it read last, and reads it again when it is stale.
Task<> keepWriting(DocumentStore& store, CollectionRef collection, int writer, int times) {
  for (int i = 0; i < times;) {
    const std::string id = fmt::format("w{}-{:04}", writer, i);
    doc::Document document = json(fmt::format(R"({{"id":"{}","n":{},"u":"{}"}})", id, i % 7, id));
    auto outcome = co_await testing::put(store, collection, id, std::move(document), writeOptions());
    if (outcome) {
      ++i;
      continue;
    }
    if (outcome.error().code() != ErrorCode::staleCatalogue) co_return fail(std::move(outcome).error());
    CO_TRY(const std::vector<CollectionInfo> all, co_await store.collections(collection.project));
    for (const CollectionInfo& info : all) {
      if (info.number == collection.number) collection.version = info.version;
    }
  }
  co_return Result<>();
}

}  // namespace

TEST_P(StoreSuite, ConcurrentIncrementsLoseNothing) {
  const CollectionRef counters = makeCollection("counters");
  runAll(engine().cores(), 32, [&](int i) { return increment(store(), counters, i % 2 ? "odd" : "even", 10); });
  EXPECT_EQ(get(counters, "odd"), R"({"id":"odd","n":160})");
  EXPECT_EQ(get(counters, "even"), R"({"id":"even","n":160})");
  EXPECT_EQ(engine().feed().lastPosition(project_), 320u);
  EXPECT_EQ(engine().problems(), std::vector<std::string>());
}

TEST_P(StoreSuite, OfConcurrentClaimsOneWins) {
  CollectionRef posts = makeCollection("posts");
  makeIndex(posts, uniqueIndex({{"slug", 1}}));
  for (int round = 0; round < 5; ++round) {
    std::atomic<int> won{0};
    runAll(engine().cores(), 16, [&](int i) {
      return tryToTake(store(), posts, fmt::format("{}-{}", round, i), fmt::format("slug{}", round), won);
    });
    EXPECT_EQ(won, 1);
  }
  EXPECT_EQ(count(posts, "{}"), 5u);
  EXPECT_EQ(engine().problems(), std::vector<std::string>());
}

TEST_P(StoreSuite, WritesOfSeveralDocumentsDoNotDeadlock) {
  const CollectionRef accounts = makeCollection("accounts");
  constexpr int kAccounts = 5;
  for (int i = 0; i < kAccounts; ++i) ASSERT_TRUE(put(accounts, fmt::format(R"({{"id":"{}","n":100}})", i)));
  runAll(engine().cores(), 24,
         [&](int i) { return transfer(store(), accounts, i % kAccounts, (i + 1 + i % 3) % kAccounts, 8); });
  int64_t sum = 0;
  for (const doc::Document& account : find(accounts, "{}").documents)
    sum += account.view().find("n")->toInteger().value_or(0);
  EXPECT_EQ(sum, 100 * kAccounts);
}

TEST_P(StoreSuite, AnIndexBuiltDuringWritesMissesNothing) {
  CollectionRef posts = makeCollection("posts");
  for (int i = 0; i < 400; ++i)
    ASSERT_TRUE(put(posts, fmt::format(R"({{"id":"old{:04}","n":{},"u":"{}"}})", i, i % 7, i)));
  std::promise<Result<IndexInfo>> built;
  std::promise<Result<IndexInfo>> builtUnique;
  const auto build = [](DocumentStore& s, CollectionRef ref, IndexSpec spec) -> Task<IndexInfo> {
    while (true) {
      auto made = co_await s.createIndex(ref, spec, {});
      if (made || made.error().code() != ErrorCode::staleCatalogue) co_return made;
      CO_TRY(const std::vector<CollectionInfo> all, co_await s.collections(ref.project));
      for (const CollectionInfo& info : all) ref.version = info.number == ref.number ? info.version : ref.version;
    }
  };
  asio::co_spawn(engine().cores().at(0).get_executor(), build(store(), posts, index({{"n", 1}})),
                 [&](std::exception_ptr, Result<IndexInfo> r) { built.set_value(std::move(r)); });
  asio::co_spawn(engine().cores().at(1).get_executor(), build(store(), posts, uniqueIndex({{"u", 1}})),
                 [&](std::exception_ptr, Result<IndexInfo> r) { builtUnique.set_value(std::move(r)); });
  runAll(engine().cores(), 8, [&](int i) { return keepWriting(store(), posts, i, 50); });
  const auto first = built.get_future().get();
  const auto second = builtUnique.get_future().get();
  ASSERT_TRUE(first) << first.error().message();
  ASSERT_TRUE(second) << second.error().message();
  posts = current(posts);
  EXPECT_EQ(count(posts, "{}"), 800u);
  uint64_t sum = 0;
  for (int n = 0; n < 7; ++n) {
    const QueryResult found = find(posts, fmt::format(R"({{"n":{}}})", n));
    if (engine().plansQueries()) EXPECT_EQ(found.explain.index, "n_1");
    sum += count(posts, fmt::format(R"({{"n":{}}})", n));
  }
  EXPECT_EQ(sum, 800u);
  EXPECT_EQ(engine().problems(), std::vector<std::string>());
}

TEST_P(StoreSuite, AlterationsAmongWritesAreSeenByAll) {
  CollectionRef posts = makeCollection("posts");
  std::promise<Result<>> altered;
  const auto alter = [](DocumentStore& s, CollectionRef ref) -> Task<> {
    for (int i = 0; i < 10; ++i) {
      CO_TRY(const CollectionInfo info,
             co_await s.alterCollection(ref, {.name = fmt::format("name{}", i), .config = {}}, {}));
      ref.version = info.version;
    }
    co_return Result<>();
  };
  asio::co_spawn(engine().cores().at(0).get_executor(), alter(store(), posts),
                 [&](std::exception_ptr, Result<> r) { altered.set_value(std::move(r)); });
  runAll(engine().cores(), 6, [&](int i) { return keepWriting(store(), posts, i, 30); });
  ASSERT_TRUE(altered.get_future().get());
  EXPECT_EQ(must(store().collections(project_)).front().name, "name9");
  EXPECT_EQ(count(current(posts), "{}"), 180u);
}

TEST_P(StoreSuite, AWriteWaitsNoLongerThanItsDeadline) {
  const CollectionRef counters = makeCollection("counters");
  std::atomic<int> late{0};
  const auto hurried = [](DocumentStore& s, CollectionRef ref, std::atomic<int>& count) -> Task<> {
    for (int i = 0; i < 20; ++i) {
      WriteOptions options = writeOptions();
      options.deadline = std::chrono::steady_clock::now();
      const auto outcome = co_await testing::put(s, ref, "hot", json(R"({"id":"hot"})"), options);
      if (!outcome && outcome.error().code() == ErrorCode::unavailable) ++count;
    }
    co_return Result<>();
  };
  runAll(engine().cores(), 16, [&](int) { return hurried(store(), counters, late); });
  EXPECT_GT(late, 0);
  EXPECT_TRUE(put(counters, R"({"id":"hot","after":1})"));
}

}  // namespace mb::store::suite
