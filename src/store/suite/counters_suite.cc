// Counters and their limits, conditions, notices, marks.
#include <latch>

#include "store/suite/store_suite.h"

namespace mb::store::suite {

namespace {

doc::Document sized(std::string_view id, int64_t size, std::string_view owner = "ann") {
  return json(fmt::format(R"({{"id":"{}","size":{},"owner":"{}"}})", id, size, owner));
}

// Puts the document, or removes it if there is no new one; the counter of the project's bytes must stay at `max` or
// below.
Task<WriteOutcome> save(DocumentStore& store, ProjectNo project, std::string id, std::optional<doc::Document> document,
                        std::optional<int64_t> max = {}) {
  WriteOptions options = writeOptions();
  if (max) options.limits = {{{project, kBytes, ""}, *max}};
  Write write(std::move(options));
  const Target target = write.change({project, kMeasured, 0}, std::move(id));
  co_return co_await store.write(std::move(write), [target, document](const PreImages&, Changes& changes) -> Result<> {
    if (document) {
      changes.put(target, *document);
    } else {
      changes.remove(target);
    }
    return {};
  });
}

Task<> trySave(DocumentStore& store, ProjectNo project, std::string id, int64_t size, int64_t max,
               std::atomic<int>& refused) {
  doc::Document document = sized(id, size);
  const auto done = co_await save(store, project, std::move(id), std::move(document), max);
  if (!done && done.error().code() == ErrorCode::planLimit) ++refused;
  if (!done && done.error().code() != ErrorCode::planLimit) co_return fail(done.error().clone());
  co_return Result<>();
}

}  // namespace

TEST_P(StoreSuite, CountersFollowTheirDocuments) {
  const CounterKey bytes{project_, kBytes, ""};
  const CounterKey ofAnn{project_, kOwned, "ann"};
  const CounterKey ofBob{project_, kOwned, "bob"};
  EXPECT_EQ(must(store().counter(bytes)), 0);
  must(save(store(), project_, "a", sized("a", 10)));
  must(save(store(), project_, "b", sized("b", 5, "bob")));
  EXPECT_EQ(must(store().counter(bytes)), 15);
  EXPECT_EQ(must(store().counter(ofAnn)), 1);
  EXPECT_EQ(must(store().counter(ofBob)), 1);
  must(save(store(), project_, "a", sized("a", 100, "bob")));
  EXPECT_EQ(must(store().counter(bytes)), 105);
  EXPECT_EQ(must(store().counter(ofAnn)), 0);
  EXPECT_EQ(must(store().counter(ofBob)), 2);
  must(save(store(), project_, "b", std::nullopt));
  EXPECT_EQ(must(store().counter(bytes)), 100);
  EXPECT_EQ(must(store().counter(ofBob)), 1);
  engine().reopen();
  EXPECT_EQ(must(store().counter(bytes)), 100);
  EXPECT_EQ(must(store().counter(ofBob)), 1);
  EXPECT_EQ(engine().problems(), std::vector<std::string>());
}

TEST_P(StoreSuite, ALimitRefusesWhatRaisesTheCounterAboveIt) {
  must(save(store(), project_, "a", sized("a", 60), 100));
  const auto refused = run(save(store(), project_, "b", sized("b", 41), 100));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::planLimit);
  ASSERT_NE(refused.error().violation(), nullptr);
  EXPECT_EQ(refused.error().violation()->kind, Violation::Kind::limit);
  EXPECT_EQ(get({project_, kMeasured, 0}, "b"), "");
  must(save(store(), project_, "b", sized("b", 40), 100));
  // A write that does not raise the counter is accepted whatever the limit is.
  must(save(store(), project_, "a", sized("a", 50), 20));
  must(save(store(), project_, "a", std::nullopt, 0));
  EXPECT_EQ(must(store().counter({project_, kBytes, ""})), 40);
  EXPECT_EQ(engine().problems(), std::vector<std::string>());
}

// A put over a document counts what the document grows by, and changes of several documents count together.
TEST_P(StoreSuite, ALimitCountsTheNetChangeOfAWrite) {
  const CounterKey bytes{project_, kBytes, ""};
  must(save(store(), project_, "a", sized("a", 60), 100));
  must(save(store(), project_, "b", sized("b", 30), 100));
  must(save(store(), project_, "a", sized("a", 70), 100));
  const auto larger = run(save(store(), project_, "a", sized("a", 71), 100));
  ASSERT_FALSE(larger);
  EXPECT_EQ(larger.error().code(), ErrorCode::planLimit);
  EXPECT_EQ(must(store().counter(bytes)), 100);
  // From one collection into another that feeds the same counter.
  const auto move = [&](std::string id, std::optional<doc::Document> measured, std::optional<doc::Document> reserved) {
    WriteOptions options = writeOptions();
    options.limits = {{bytes, 50}};
    Write write(std::move(options));
    const Target from = write.change({project_, kMeasured, 0}, id);
    const Target to = write.change({project_, kReserved, 0}, id);
    return run(store().write(std::move(write), [=](const PreImages&, Changes& changes) -> Result<> {
      changes.set(from, measured ? Change::put(*measured) : Change::remove());
      changes.set(to, reserved ? Change::put(*reserved) : Change::remove());
      return {};
    }));
  };
  EXPECT_TRUE(move("a", std::nullopt, json(R"({"id":"a","reserved":70})")));
  EXPECT_EQ(must(store().counter(bytes)), 100);
  const auto grown = move("a", sized("a", 71), std::nullopt);
  ASSERT_FALSE(grown);
  EXPECT_EQ(grown.error().code(), ErrorCode::planLimit);
  EXPECT_TRUE(move("a", sized("a", 69), json(R"({"id":"a"})")));
  EXPECT_EQ(must(store().counter(bytes)), 99);
  EXPECT_EQ(engine().problems(), std::vector<std::string>());
}

TEST_P(StoreSuite, ManyWritesAtOnceDoNotPassALimitTogether) {
  constexpr int kWriters = 64;
  std::atomic<int> refused{0};
  std::latch left(kWriters);
  for (int i = 0; i < kWriters; ++i) {
    asio::co_spawn(engine().cores().at(i % engine().cores().count()).get_executor(),
                   trySave(store(), project_, "d" + std::to_string(i), 10, 200, refused),
                   [&left](std::exception_ptr exception, Result<> done) {
                     EXPECT_FALSE(exception);
                     EXPECT_TRUE(done);
                     left.count_down();
                   });
  }
  left.wait();
  EXPECT_EQ(refused, kWriters - 20);
  EXPECT_EQ(must(store().counter({project_, kBytes, ""})), 200);
  EXPECT_EQ(count({project_, kMeasured, 0}, "{}"), 20u);
  // Refused writes have released their reservations.
  must(save(store(), project_, "d0", std::nullopt));
  must(save(store(), project_, "d1", std::nullopt));
  must(save(store(), project_, "last",
            sized("last", 200 - static_cast<int64_t>(must(store().counter({project_, kBytes, ""})))), 200));
  EXPECT_EQ(must(store().counter({project_, kBytes, ""})), 200);
}

TEST_P(StoreSuite, CountersGoWithTheirProject) {
  must(save(store(), project_, "a", sized("a", 10)));
  must(store().dropProject(project_));
  EXPECT_EQ(must(store().counter({project_, kBytes, ""})), 0);
  engine().reopen();
  EXPECT_EQ(must(store().counter({project_, kBytes, ""})), 0);
  EXPECT_EQ(engine().problems(), std::vector<std::string>());
}

TEST_P(StoreSuite, AConditionIsCheckedUnderTheLocks) {
  const CollectionRef things{project_, kThings, 0};
  must(save(store(), project_, "team", sized("team", 1)));
  ASSERT_TRUE(put(things, R"({"id":"m1","owner":"team","email":"m1"})"));
  const auto removing = [&](const std::string& except = "") {
    Write write(writeOptions());
    const Target team = write.change({project_, kMeasured, 0}, "team");
    write.require({"members", things, "owner", doc::Value(*json(R"({"v":"team"})").view().find("v")), except});
    return run(store().write(std::move(write), [team](const PreImages&, Changes& changes) -> Result<> {
      changes.remove(team);
      return {};
    }));
  };
  const auto refused = removing();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::conflict);
  ASSERT_NE(refused.error().violation(), nullptr);
  EXPECT_EQ(refused.error().violation()->kind, Violation::Kind::condition);
  EXPECT_EQ(refused.error().violation()->name, "members");
  ASSERT_TRUE(remove(things, "m1"));
  ASSERT_TRUE(put(things, R"({"id":"own","owner":"team","email":"own"})"));
  EXPECT_FALSE(removing());
  ASSERT_TRUE(removing("own"));
  must(save(store(), project_, "team", sized("team", 1)));
  ASSERT_TRUE(put(things, R"({"id":"too","owner":"team","email":"too"})"));
  EXPECT_FALSE(removing("own"));
  ASSERT_TRUE(remove(things, "too"));
  ASSERT_TRUE(remove(things, "own"));
  EXPECT_TRUE(removing());
  EXPECT_EQ(get({project_, kMeasured, 0}, "team"), "");
}

TEST_P(StoreSuite, NoticesAreSentBeforeTheWriteReturns) {
  std::mutex mutex;
  std::vector<std::string> received;
  auto listening = store().notices().add([&](const Notice& notice) {
    const std::lock_guard lock(mutex);
    received.push_back(fmt::format("{} {}", notice.project, notice.key));
  });
  const auto removing = [&](const std::string& id, const std::string& key) {
    WriteOptions options = writeOptions();
    options.notices = {{project_, NoticeKind::sessionEnded, key}};
    Write write(std::move(options));
    const Target target = write.change({project_, kMeasured, 0}, id);
    must(store().write(std::move(write), [target](const PreImages&, Changes& changes) -> Result<> {
      changes.remove(target);
      return {};
    }));
    const std::lock_guard lock(mutex);
    return received;
  };
  must(save(store(), project_, "a", sized("a", 1)));
  must(save(store(), project_, "b", sized("b", 1)));
  using Received = std::vector<std::string>;
  EXPECT_EQ(removing("nothing", "none"), Received());
  EXPECT_EQ(removing("a", "one"), Received({fmt::format("{} one", project_)}));
  EXPECT_EQ(removing("b", "two"), Received({fmt::format("{} one", project_), fmt::format("{} two", project_)}));
  listening.reset();
  must(save(store(), project_, "a", sized("a", 1)));
  EXPECT_EQ(removing("a", "three").size(), 2u);

  WriteOptions options = writeOptions();
  options.notices = {{project_, NoticeKind::sessionEnded, std::string(kMaxNoticeKey + 1, 'k')}};
  Write write(std::move(options));
  const Target target = write.change({project_, kMeasured, 0}, "b");
  const auto refused = run(store().write(std::move(write), [target](const PreImages&, Changes& changes) -> Result<> {
    changes.put(target, sized("b", 1));
    return {};
  }));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::internal);
}

TEST_P(StoreSuite, AMarkChangesWithEachDocumentThatHoldsItsValue) {
  CollectionRef posts = makeCollection("posts");
  must(store().markPath(project_, posts.number, "tags"));
  must(store().markPath(project_, posts.number, "tags"));
  const doc::Document values = json(R"({"red":"red","one":1,"real":1.0})");
  const auto mark = [&](std::string_view name) {
    return store().mark(project_, posts.number, "tags", *values.view().find(name));
  };
  Mark red = mark("red");
  const auto moved = [&] { return std::exchange(red, mark("red")).changed(); };
  EXPECT_FALSE(moved());
  ASSERT_TRUE(put(posts, R"({"id":"a","tags":["blue","red"]})"));
  EXPECT_TRUE(moved());
  ASSERT_TRUE(put(posts, R"({"id":"a","tags":["blue"]})"));
  EXPECT_TRUE(moved());
  ASSERT_TRUE(put(posts, R"({"id":"a","tags":"red"})"));
  EXPECT_TRUE(moved());
  ASSERT_TRUE(remove(posts, "a"));
  EXPECT_TRUE(moved());
  EXPECT_FALSE(moved());
  const Mark one = mark("one");
  const Mark real = mark("real");
  ASSERT_TRUE(put(posts, R"({"id":"b","tags":1})"));
  EXPECT_TRUE(one.changed());
  EXPECT_TRUE(real.changed());
  EXPECT_FALSE(Mark().changed());

  const doc::Document owner = json(R"({"v":"ann"})");
  const Mark ofAnn = store().mark(project_, kMeasured, "owner", *owner.view().find("v"));
  must(save(store(), project_, "a", sized("a", 1, "ann")));
  EXPECT_TRUE(ofAnn.changed());
}

TEST_P(StoreSuite, AFreshEpochIsThatOfTheStore) {
  WriteOptions options = writeOptions();
  options.bumpEpochs = {project_};
  Write write(std::move(options));
  const Target target = write.change({project_, kMeasured, 0}, "a");
  must(store().write(std::move(write), [target](const PreImages&, Changes& changes) -> Result<> {
    changes.put(target, sized("a", 1));
    return {};
  }));
  EXPECT_EQ(must(store().epochNow(project_)), store().epoch(project_).value);
  EXPECT_EQ(must(store().epochNow(4'000'000'000)), 0u);
}

}  // namespace mb::store::suite
