#include <thread>

#include "store/suite/store_suite.h"

namespace mb::store::suite {

namespace {

const char* nameOf(ChangeEntry::Kind kind) {
  switch (kind) {
    case ChangeEntry::Kind::insert:
      return "insert";
    case ChangeEntry::Kind::update:
      return "update";
    case ChangeEntry::Kind::replace:
      return "replace";
    case ChangeEntry::Kind::remove:
      return "remove";
  }
  return "";
}

std::string toText(const ChangeEntry& entry) {
  return fmt::format("{} {} {} -> {}", nameOf(entry.kind), entry.id, entry.before ? text(*entry.before) : "nothing",
                     entry.after ? text(*entry.after) : "nothing");
}

// Records the calls of a listener, and checks that it is not called after it was dropped.
class RecordingListener {
 public:
  ChangeListener listener(ProjectNo project) {
    return [this, project](ProjectNo changed, uint64_t position) {
      if (changed != project) return;
      const std::lock_guard lock(mutex_);
      EXPECT_FALSE(dropped_);
      EXPECT_GE(position, last_);
      last_ = position;
      changed_.notify_all();
    };
  }
  bool waitFor(uint64_t position) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(60), [&] { return last_ >= position; });
  }
  uint64_t last() const {
    const std::lock_guard lock(mutex_);
    return last_;
  }
  void dropped() {
    const std::lock_guard lock(mutex_);
    dropped_ = true;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t last_ = 0;
  bool dropped_ = false;
};

}  // namespace

TEST_P(StoreSuite, TheChangeLogHasEachChangeInOrder) {
  const CollectionRef posts = makeCollection("posts");
  EXPECT_EQ(engine().feed().lastPosition(project_), 0u);
  ASSERT_TRUE(put(posts, R"({"id":"a","n":1})"));
  ASSERT_TRUE(put(posts, R"({"id":"a","n":2})"));
  Write replacing(writeOptions());
  const Target a = replacing.change(posts, "a");
  must(store().write(std::move(replacing), [a](const PreImages&, Changes& changes) -> Result<> {
    changes.replace(a, json(R"({"id":"a"})"));
    return {};
  }));
  ASSERT_TRUE(put({project_, kThings, 0}, R"({"id":"not logged"})"));
  ASSERT_TRUE(remove(posts, "a"));
  ASSERT_TRUE(remove(posts, "a"));
  for (int round = 0; round < 2; ++round) {
    const ChangeBatch batch = must(engine().feed().changes(project_, 0, 100));
    EXPECT_EQ(batch.lostUpTo, 0u);
    EXPECT_EQ(batch.through, 4u);
    ASSERT_EQ(batch.entries.size(), 4u);
    EXPECT_EQ(toText(batch.entries[0]), R"(insert a nothing -> {"id":"a","n":1})");
    EXPECT_EQ(toText(batch.entries[1]), R"(update a {"id":"a","n":1} -> {"id":"a","n":2})");
    EXPECT_EQ(toText(batch.entries[2]), R"(replace a {"id":"a","n":2} -> {"id":"a"})");
    EXPECT_EQ(toText(batch.entries[3]), R"(remove a {"id":"a"} -> nothing)");
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(batch.entries[i].position, i + 1);
      EXPECT_EQ(batch.entries[i].collection, posts.number);
      EXPECT_EQ(batch.entries[i].actor.kind, ActorKind::user);
      EXPECT_EQ(batch.entries[i].actor.id, "u1");
      EXPECT_GT(batch.entries[i].at.ms, 0);
    }
    EXPECT_EQ(engine().feed().lastPosition(project_), 4u);
    EXPECT_EQ(must(engine().feed().frontier(project_)), 4u);
    engine().reopen();
  }
}

TEST_P(StoreSuite, EntriesOfTheChangeLogHaveTheTraceOfTheirWrite) {
  const CollectionRef posts = makeCollection("posts");
  ASSERT_TRUE(put(posts, R"({"id":"before"})"));
  const std::string trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  Write traced(writeOptions());
  traced.options.trace = trace;
  std::vector<Target> targets;
  for (int i = 0; i < 40; ++i) targets.push_back(traced.change(posts, fmt::format("{:02}", i)));
  must(store().write(std::move(traced), [targets](const PreImages&, Changes& changes) -> Result<> {
    for (size_t i = 0; i < targets.size(); ++i) changes.put(targets[i], json(fmt::format(R"({{"id":"{:02}"}})", i)));
    return {};
  }));
  ASSERT_TRUE(put(posts, R"({"id":"after"})"));
  for (int round = 0; round < 2; ++round) {
    const ChangeBatch batch = must(engine().feed().changes(project_, 0, 100));
    ASSERT_EQ(batch.entries.size(), 42u);
    EXPECT_EQ(batch.entries.front().trace, "");
    for (size_t i = 1; i < 41; ++i) EXPECT_EQ(batch.entries[i].trace, trace);
    EXPECT_EQ(batch.entries.back().trace, "");
    engine().reopen();
  }
}

TEST_P(StoreSuite, ChangesOfAnotherDatabaseAreLoggedWithTheWrite) {
  const CollectionRef posts = makeCollection("posts");
  ASSERT_TRUE(put(posts, R"({"id":"a","n":1})"));
  const auto elsewhere = [&](ChangeEntry::Kind kind, const char* before, const char* after) {
    ChangeEntry entry;
    entry.kind = kind;
    entry.collection = posts.number;
    entry.id = "elsewhere";
    if (before) entry.before = json(before);
    if (after) entry.after = json(after);
    entry.actor = {ActorKind::member, "m1"};
    return entry;
  };
  Write alone(writeOptions());
  alone.log(project_, elsewhere(ChangeEntry::Kind::insert, nullptr, R"({"id":"elsewhere","n":1})"));
  alone.log(project_, elsewhere(ChangeEntry::Kind::update, R"({"id":"elsewhere","n":1})", R"({"id":"elsewhere"})"));
  EXPECT_EQ(must(store().write(std::move(alone), nullptr)).position, 3u);
  // With a record of another project, and the write's trace.
  Write both(writeOptions());
  both.options.trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const Target row = both.change({kControlProject, kThings, 0}, "cursor");
  both.log(project_, elsewhere(ChangeEntry::Kind::remove, R"({"id":"elsewhere"})", nullptr));
  const WriteOutcome outcome = must(store().write(std::move(both), [row](const PreImages&, Changes& changes) {
    changes.put(row, json(R"({"id":"cursor","n":4})"));
    return Result<>();
  }));
  EXPECT_EQ(outcome.position, 4u);
  EXPECT_TRUE(must(store().get({kControlProject, kThings, 0}, "cursor")).has_value());
  // A callback that fails logs nothing.
  Write refused(writeOptions());
  refused.log(project_, elsewhere(ChangeEntry::Kind::remove, nullptr, nullptr));
  EXPECT_FALSE(run(store().write(
      std::move(refused), [](const PreImages&, Changes&) -> Result<> { return fail(ErrorCode::conflict, "no"); })));
  Write nowhere(writeOptions());
  nowhere.log(4'000'000, elsewhere(ChangeEntry::Kind::remove, nullptr, nullptr));
  EXPECT_EQ(run(store().write(std::move(nowhere), nullptr)).error().code(), ErrorCode::notFound);
  for (int round = 0; round < 2; ++round) {
    const ChangeBatch batch = must(engine().feed().changes(project_, 1, 100));
    ASSERT_EQ(batch.entries.size(), 3u);
    EXPECT_EQ(toText(batch.entries[0]), R"(insert elsewhere nothing -> {"id":"elsewhere","n":1})");
    EXPECT_EQ(toText(batch.entries[1]), R"(update elsewhere {"id":"elsewhere","n":1} -> {"id":"elsewhere"})");
    EXPECT_EQ(toText(batch.entries[2]), R"(remove elsewhere {"id":"elsewhere"} -> nothing)");
    for (const ChangeEntry& each : batch.entries) {
      EXPECT_EQ(each.actor.kind, ActorKind::member);
      EXPECT_EQ(each.collection, posts.number);
      EXPECT_GT(each.at.ms, 0);
    }
    EXPECT_EQ(batch.entries[2].trace, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    EXPECT_FALSE(must(store().get(posts, "elsewhere")).has_value());
    EXPECT_EQ(must(store().stats(posts)).documents, 1u);
    engine().reopen();
  }
}

TEST_P(StoreSuite, ChangesAreReadInParts) {
  const CollectionRef posts = makeCollection("posts");
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(put(posts, fmt::format(R"({{"id":"{}"}})", i)));
  uint64_t position = 0;
  std::string seen;
  while (true) {
    const ChangeBatch batch = must(engine().feed().changes(project_, position, 3));
    if (batch.entries.empty()) break;
    EXPECT_LE(batch.entries.size(), 3u);
    for (const ChangeEntry& entry : batch.entries) seen += entry.id;
    position = batch.through;
  }
  EXPECT_EQ(seen, "0123456789");
  const ChangeBatch ahead = must(engine().feed().changes(project_, UINT64_MAX, 3));
  EXPECT_TRUE(ahead.entries.empty());
  EXPECT_EQ(ahead.through, UINT64_MAX);
  const ChangeBatch unknown = must(engine().feed().changes(project_ + 100, 0, 3));
  EXPECT_TRUE(unknown.entries.empty());
  EXPECT_EQ(unknown.lostUpTo, 0u);
}

TEST_P(StoreSuite, ABatchOfChangesIsBounded) {
  const CollectionRef posts = makeCollection("posts");
  for (int round = 0; round < 3; ++round) {
    std::vector<std::string> jsons;
    for (int i = 0; i < 100; ++i) jsons.push_back(fmt::format(R"({{"id":"{}-{}"}})", round, i));
    ASSERT_TRUE(putAll(posts, std::move(jsons)));
  }
  EXPECT_EQ(must(engine().feed().changes(project_, 0, 1000)).entries.size(), kMaxChanges);
  EXPECT_EQ(must(engine().feed().changes(project_, 290, 1000)).entries.size(), 10u);
  const std::string large(700 << 10, 'x');
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(put(posts, fmt::format(R"({{"id":"l{}","text":"{}"}})", i, large)));
  // The log is read completely, wherever it is stored and however large its entries are.
  for (int round = 0; round < 2; ++round) {
    uint64_t position = 300;
    for (int i = 0; i < 4;) {
      const ChangeBatch batch = must(engine().feed().changes(project_, position, 1000));
      ASSERT_FALSE(batch.entries.empty());
      EXPECT_LE(batch.entries.size(), 2u);
      for (const ChangeEntry& entry : batch.entries) EXPECT_EQ(entry.id, fmt::format("l{}", i++));
      position = batch.through;
    }
    EXPECT_EQ(position, 304u);
    engine().reopen();
  }
  ASSERT_TRUE(put(posts, fmt::format(R"({{"id":"later","text":"{}"}})", large)));
  ASSERT_TRUE(put(posts, fmt::format(R"({{"id":"later2","text":"{}"}})", large)));
  EXPECT_EQ(must(engine().feed().changes(project_, 303, 1000)).entries.at(0).id, "l3");
}

TEST_P(StoreSuite, ListenersAreNotifiedThatTheLogGrew) {
  const CollectionRef posts = makeCollection("posts");
  ASSERT_TRUE(put(posts, R"({"id":"before"})"));
  RecordingListener one, other;
  auto listening = engine().feed().listen(one.listener(project_));
  const auto elsewhere = engine().feed().listen(other.listener(project_ + 1));
  ASSERT_TRUE(put({project_, kThings, 0}, R"({"id":"not logged"})"));
  ASSERT_TRUE(remove(posts, "never there"));
  ASSERT_TRUE(put(posts, R"({"id":"a"})"));
  EXPECT_TRUE(one.waitFor(2));
  // A position that a listener gets can be read.
  EXPECT_EQ(must(engine().feed().changes(project_, 1, 10)).entries.at(0).id, "a");
  ASSERT_TRUE(putAll(posts, {R"({"id":"b"})", R"({"id":"c"})"}));
  EXPECT_TRUE(one.waitFor(4));
  listening.reset();
  one.dropped();
  ASSERT_TRUE(put(posts, R"({"id":"d"})"));
  EXPECT_EQ(one.last(), 4u);
  EXPECT_EQ(other.last(), 0u);
}

TEST_P(StoreSuite, ListenersComeAndGoWhileOthersWrite) {
  const CollectionRef posts = makeCollection("posts");
  std::atomic<bool> stop{false};
  std::thread coming([&] {
    while (!stop) {
      RecordingListener listener;
      auto listening = engine().feed().listen(listener.listener(project_));
      // A consumer that first listens and then reads misses nothing.
      const uint64_t seen = engine().feed().lastPosition(project_);
      std::this_thread::yield();
      if (engine().feed().lastPosition(project_) > seen) EXPECT_TRUE(listener.waitFor(seen + 1));
      listening.reset();
      listener.dropped();
    }
  });
  for (int i = 0; i < 300; ++i) EXPECT_TRUE(put(posts, fmt::format(R"({{"id":"{}"}})", i)));
  stop = true;
  coming.join();
  EXPECT_EQ(engine().feed().lastPosition(project_), 300u);
}

}  // namespace mb::store::suite
