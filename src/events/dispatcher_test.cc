#include "events/dispatcher.h"

#include <gtest/gtest.h>

#include "base/log.h"
#include "base/testing.h"
#include "events/cursor.h"
#include "jobs/row.h"
#include "store/records.h"
#include "store/testing/memory_store.h"
#include "store/testing/running.h"

namespace mb::events {
namespace {

using namespace std::chrono_literals;

constexpr store::CollectionNo kThings = 1001;

class Projects final : public snapshot::ProjectDirectory {
 public:
  Task<std::optional<snapshot::ProjectInfo>> find(std::string id) override {
    ++finds;
    const auto number = static_cast<store::ProjectNo>(std::atoi(id.c_str() + 5));
    co_return gone.contains(number) ? std::nullopt : std::optional(present(number));
  }
  Task<std::optional<snapshot::ProjectInfo>> byNumber(store::ProjectNo number) override {
    co_return gone.contains(number) ? std::nullopt : std::optional(present(number));
  }
  Task<std::optional<snapshot::ProjectInfo>> onlyOne() override { co_return std::nullopt; }
  static snapshot::ProjectInfo info(store::ProjectNo number) {
    const std::string id = fmt::format("proj_{}", number);
    return {number, ProjectId(id), id, id, snapshot::ProjectStatus::active, {}};
  }
  snapshot::ProjectInfo present(store::ProjectNo number) const {
    snapshot::ProjectInfo found = info(number);
    if (number == suspended) found.status = snapshot::ProjectStatus::suspended;
    return found;
  }
  std::set<store::ProjectNo> gone;
  std::atomic<store::ProjectNo> suspended = 0;
  std::atomic<int> finds = 0;
};

// Creates `each` jobs for a change of a document whose id begins with "j".
class Follower final : public Consumer {
 public:
  bool follows(const snapshot::ProjectSnapshot&) const override { return following; }
  void jobsFor(const snapshot::ProjectSnapshot& project, const store::ChangeEntry& change,
               std::vector<FollowUp>& jobs) const override {
    if (!change.id.starts_with('j')) return;
    for (int i = 0; i < each; ++i) {
      jobs::JobSpec job;
      job.kind = "note";
      job.project = project.info().number;
      job.id = fmt::format("{}/{}/{:03}", project.info().number, change.position, i);
      job.group = "g";
      jobs.push_back({std::move(job), bytes, [&change] { return *change.after; }});
    }
  }
  Async<void> committed(snapshot::SnapshotPtr, std::vector<std::string> groups) override {
    EXPECT_EQ(groups, std::vector<std::string>{"g"});
    ++commits;
    co_return;
  }
  std::atomic<bool> following = true;
  std::atomic<int> each = 1;
  std::atomic<size_t> bytes = 10;
  std::atomic<int> commits = 0;
};

class DispatcherTest : public ::testing::Test {
 protected:
  DispatcherTest() {
    initCrypto();
    configureLog(LogLevel::off, LogFormat::text);
    snapshots_.setDirectory(projects_);
    jobs::Kind kind;
    kind.name = "note";
    kind.handler = [](jobs::JobRun) -> Task<> { co_return Result<>(); };
    queue_.declare(std::move(kind));
    cores_.start();
    make();
  }
  ~DispatcherTest() override {
    store_.failWith(std::nullopt);
    end();
    queue_.stop(0ms);
    cores_.stop();
    cores_.join();
  }

  static std::vector<store::SystemCollection> collections() {
    std::vector<store::SystemCollection> all = jobs::systemCollections();
    all.push_back(systemCollections().front());
    return all;
  }
  void make() {
    dispatcher_ =
        std::make_unique<Dispatcher>(DispatcherDeps{store_, store_.feed(), queue_, snapshots_, cores_, lookEvery_});
    dispatcher_->add(follower_);
  }
  void start() { EXPECT_TRUE(run(dispatcher_->start())); }
  void end() {
    if (dispatcher_) EXPECT_TRUE(dispatcher_->stop(20s));
    dispatcher_.reset();
  }
  void restart() {
    end();
    make();
    start();
  }

  template <class T>
  Result<T> run(Task<T> task) {
    return store::testing::runOn(cores_, 0, std::move(task));
  }
  // What a module does that adds a consumer's first subscription.
  void join(store::ProjectNo project) {
    const Dispatcher::Joining joining = run(dispatcher_->join(Projects::info(project))).value();
    commit(joining.target(), [&joining](const auto& before) { return *joining.change(before); });
    dispatcher_->joined(joining);
  }
  void commit(store::WriteTarget target, std::function<store::Change(const std::optional<doc::Document>&)> change) {
    store::Write write(store::WriteOptions{});
    const store::Target changed = write.change(std::move(target));
    auto callback = [changed, change](const store::PreImages& before, store::Changes& changes) -> Result<> {
      changes.set(changed, change(before[changed]));
      return {};
    };
    EXPECT_TRUE(run(store_.write(std::move(write), std::move(callback))));
  }
  uint64_t change(store::ProjectNo project, std::string id) { return changes(project, {std::move(id)}); }
  uint64_t changes(store::ProjectNo project, std::vector<std::string> ids) {
    std::vector<store::ChangeEntry> entries;
    for (std::string& id : ids) {
      store::ChangeEntry entry;
      entry.collection = kThings;
      entry.id = std::move(id);
      entry.after = doc::Document();
      entries.push_back(std::move(entry));
    }
    return store_.feed().append(project, std::move(entries));
  }

  // Ids of all stored jobs, in the order of their creation.
  std::vector<std::string> jobs() const {
    std::vector<jobs::Row> rows;
    for (const auto& stored : store_.all({store::kControlProject, jobs::kJobs, 0})) {
      rows.push_back(*jobs::Row::fromDocument(stored.view()));
    }
    std::ranges::sort(rows, {}, &jobs::Row::seq);
    std::vector<std::string> ids;
    for (jobs::Row& row : rows) ids.push_back(std::move(row.id));
    return ids;
  }
  bool made(size_t count) {
    return until([&] { return jobs().size() >= count; }) && jobs().size() == count;
  }
  std::optional<CursorRecord> cursor(store::ProjectNo project) const {
    for (const auto& stored : store_.all(kCursorRows)) {
      if (stored.view().stringOr("id") == std::to_string(project)) {
        return *store::fromStore<CursorRecord>(stored.view());
      }
    }
    return std::nullopt;
  }
  bool reached(store::ProjectNo project, uint64_t position) {
    return until([&] {
      const auto row = cursor(project);
      return row && static_cast<uint64_t>(row->position) == position && row->made.empty();
    });
  }

  ManualClock clock_{1'800'000'000'000};
  Cores cores_{2};
  store::testing::MemoryStore store_{collections()};
  IdGenerator ids_{clock_};
  MasterSecret master_{Secret(std::string(32, 'k'))};
  snapshot::Snapshots snapshots_{store_, cores_, 100};
  Projects projects_;
  jobs::Queue queue_{{store_, cores_, ids_, clock_, master_}};
  Follower follower_;
  std::chrono::milliseconds lookEvery_ = 1h;
  std::unique_ptr<Dispatcher> dispatcher_;
};

TEST_F(DispatcherTest, ChangesBecomeJobsInTheirOrder) {
  start();
  change(7, "j-before");
  join(7);
  changes(7, {"j1", "x", "j2"});
  const uint64_t last = change(7, "j3");
  EXPECT_TRUE(reached(7, last));
  EXPECT_EQ(jobs(), (std::vector<std::string>{"7/2/000", "7/4/000", "7/5/000"}));
  EXPECT_TRUE(until([&] { return follower_.commits > 0; }));
}

TEST_F(DispatcherTest, ProjectsWithoutConsumersAreSkipped) {
  start();
  join(7);
  const size_t writes = store_.writes();
  for (int i = 0; i < 50; ++i) change(8, "j");
  EXPECT_TRUE(reached(7, change(7, "j")));
  EXPECT_EQ(jobs(), (std::vector<std::string>{"7/1/000"}));
  EXPECT_LE(store_.writes(), writes + 2);
  EXPECT_EQ(store_.keptAfter(8), std::nullopt);
}

TEST_F(DispatcherTest, ARestartContinuesAndDuplicatesNoJob) {
  start();
  join(7);
  EXPECT_TRUE(reached(7, changes(7, {"j1", "j2"})));
  end();
  changes(7, {"j3", "j4"});
  make();
  start();
  EXPECT_TRUE(reached(7, 4));
  EXPECT_EQ(jobs(), (std::vector<std::string>{"7/1/000", "7/2/000", "7/3/000", "7/4/000"}));
  // A completed job is not created again.
  for (const std::string& id : jobs()) {
    commit({{store::kControlProject, jobs::kJobs, 0}, id}, [](const auto&) { return store::Change::remove(); });
  }
  restart();
  EXPECT_TRUE(reached(7, change(7, "j5")));
  EXPECT_EQ(jobs(), (std::vector<std::string>{"7/5/000"}));
}

TEST_F(DispatcherTest, AStoredJobStaysAsItIs) {
  start();
  EXPECT_TRUE(run(queue_.put({.kind = "note", .project = 7, .id = "7/1/000", .orderKey = "mine"})));
  join(7);
  EXPECT_TRUE(reached(7, changes(7, {"j1", "j2"})));
  EXPECT_TRUE(made(2));
  const auto rows = store_.all({store::kControlProject, jobs::kJobs, 0});
  EXPECT_EQ(rows[0].view().stringOr("orderKey"), "mine");
}

TEST_F(DispatcherTest, ChangesWithoutJobsMoveTheCursorLazily) {
  start();
  join(7);
  changes(7, std::vector<std::string>(400, "x"));
  EXPECT_TRUE(until([&] { return store_.feed().lastPosition(7) == 400; }));
  EXPECT_EQ(cursor(7)->position, 0);
  EXPECT_EQ(store_.keptAfter(7), 0u);
  changes(7, std::vector<std::string>(700, "x"));
  EXPECT_TRUE(until([&] { return cursor(7)->position >= 1000; }));
  const uint64_t last = change(7, "j");
  EXPECT_TRUE(reached(7, last));
  EXPECT_TRUE(until([&] { return store_.keptAfter(7) == last; }));
  EXPECT_TRUE(made(1));
}

TEST_F(DispatcherTest, TheNextCommitContinuesAfterTheLastJob) {
  start();
  follower_.each = 450;
  join(7);
  EXPECT_TRUE(reached(7, changes(7, {"j1", "j2"})));
  EXPECT_TRUE(made(900));
  EXPECT_TRUE(std::ranges::is_sorted(jobs()));
}

TEST_F(DispatcherTest, LargeJobsAreSplitIntoCommitsToo) {
  start();
  follower_.each = 10;
  follower_.bytes = 3 << 20;
  join(7);
  const size_t writes = store_.writes();
  EXPECT_TRUE(reached(7, change(7, "j1")));
  EXPECT_TRUE(made(10));
  EXPECT_GE(store_.writes(), writes + 10);
}

TEST_F(DispatcherTest, AfterACrashInTheMiddleOfAChangeTheRestIsCreated) {
  follower_.each = 300;
  commit({kCursorRows, "7"},
         [](const auto&) { return store::Change::put(doc::encode(CursorRecord{"7", "proj_7", 7, 0, "7/1/199", 1})); });
  change(7, "j1");
  start();
  EXPECT_TRUE(reached(7, 1));
  EXPECT_TRUE(made(100));
  EXPECT_EQ(jobs().front(), "7/1/200");
}

TEST_F(DispatcherTest, FailuresAreRetried) {
  start();
  join(7);
  for (const auto fail : {ErrorCode::unavailable, ErrorCode::internal}) {
    const size_t before = store_.injectedFailures();
    store_.failWith(fail);
    change(7, "j");
    EXPECT_TRUE(until([&] { return store_.injectedFailures() > before; }));
    store_.failWith(std::nullopt);
  }
  store_.feed().failWith(ErrorCode::unavailable);
  change(7, "j");
  EXPECT_TRUE(until([&] { return store_.feed().injectedFailures() > 0; }));
  store_.feed().failWith(std::nullopt);
  EXPECT_TRUE(reached(7, 3));
  EXPECT_TRUE(made(3));
}

TEST_F(DispatcherTest, ASuspendedProjectsChangesStayInTheLogUntilTheResume) {
  start();
  join(7);
  join(8);
  EXPECT_TRUE(reached(7, change(7, "j1")));
  projects_.suspended = 7;
  store_.bumpEpoch(7);
  const uint64_t last = changes(7, {"j2", "j3"});
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(reached(8, change(8, "j")));
    dispatcher_->resumed(7);  // without a resume
  }
  restart();
  EXPECT_TRUE(reached(8, change(8, "j")));
  EXPECT_EQ(cursor(7)->position, 1);
  EXPECT_EQ(store_.keptAfter(7), 1u);
  EXPECT_TRUE(made(12));
  projects_.suspended = 0;
  store_.bumpEpoch(7);
  dispatcher_->resumed(7);
  EXPECT_TRUE(reached(7, last));
  EXPECT_TRUE(made(14));
}

TEST_F(DispatcherTest, AResumeWithoutANotificationIsNoticed) {
  end();
  lookEvery_ = 5ms;
  make();
  start();
  join(7);
  EXPECT_TRUE(reached(7, change(7, "j1")));
  projects_.suspended = 7;
  store_.bumpEpoch(7);
  const uint64_t last = changes(7, {"j2", "j3"});
  // Other changes of its configuration do not end the suspension, and cause one check each.
  const int found = projects_.finds;
  for (int i = 1; i <= 3; ++i) {
    store_.bumpEpoch(7);
    EXPECT_TRUE(until([&] { return projects_.finds >= found + i; }));
  }
  EXPECT_TRUE(made(1));
  projects_.suspended = 0;
  store_.bumpEpoch(7);
  EXPECT_TRUE(reached(7, last));
  EXPECT_TRUE(made(3));
}

TEST_F(DispatcherTest, TheCursorIsRemovedWithTheLastConsumer) {
  start();
  join(7);
  EXPECT_TRUE(reached(7, change(7, "j")));
  follower_.following = false;
  store_.bumpEpoch(7);
  change(7, "j");
  EXPECT_TRUE(until([&] { return !cursor(7) && !store_.keptAfter(7); }));
  EXPECT_TRUE(made(1));
  // A consumer that joins later gets only later changes.
  follower_.following = true;
  store_.bumpEpoch(7);
  join(7);
  EXPECT_TRUE(reached(7, change(7, "j")));
  EXPECT_EQ(jobs(), (std::vector<std::string>{"7/1/000", "7/3/000"}));
}

TEST_F(DispatcherTest, ACursorWithAJoinStays) {
  start();
  join(7);
  join(7);
  EXPECT_EQ(cursor(7)->generation, 2);
  EXPECT_TRUE(reached(7, change(7, "j")));
  EXPECT_EQ(cursor(7)->generation, 2);
}

TEST_F(DispatcherTest, AJoiningThatWasNotCommittedLeavesNothing) {
  start();
  dispatcher_->joined(run(dispatcher_->join(Projects::info(7))).value());
  join(8);
  EXPECT_TRUE(reached(8, change(8, "j")));
  change(7, "j");
  EXPECT_TRUE(reached(8, change(8, "j")));
  EXPECT_FALSE(cursor(7));
  EXPECT_EQ(jobs(), (std::vector<std::string>{"8/1/000", "8/2/000"}));
}

TEST_F(DispatcherTest, AJoiningNeedsTheFrontierOfTheLog) {
  start();
  store_.feed().failWith(ErrorCode::unavailable);
  EXPECT_FALSE(run(dispatcher_->join(Projects::info(7))));
  store_.feed().failWith(std::nullopt);
}

TEST_F(DispatcherTest, TheCursorOfADeletedProjectIsRemoved) {
  start();
  join(7);
  EXPECT_TRUE(reached(7, change(7, "j")));
  end();
  projects_.gone.insert(7);
  store_.bumpEpoch(7);
  make();
  start();
  EXPECT_TRUE(until([&] { return !cursor(7); }));
}

TEST_F(DispatcherTest, ManyProjectsAreServedRoundRobin) {
  start();
  for (store::ProjectNo project = 10; project < 60; ++project) join(project);
  for (int round = 0; round < 20; ++round) {
    for (store::ProjectNo project = 10; project < 60; ++project) change(project, "j");
  }
  EXPECT_TRUE(made(50 * 20));
  for (store::ProjectNo project = 10; project < 60; ++project) EXPECT_TRUE(reached(project, 20)) << project;
  EXPECT_EQ(store_.feed().listeners(), 1u);
}

}  // namespace
}  // namespace mb::events
