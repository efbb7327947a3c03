// Leases in the store of two processes, whose life the test decides.
#include "jobs/store_leases.h"

#include "base/listeners.h"
#include "jobs/queue_fixture.h"

namespace mb::jobs {
namespace {

using namespace std::chrono_literals;

// The processes of one store, of which the test ends some.
struct Lives {
  std::mutex mutex;
  std::set<std::string> ended;
  Listeners<const std::string&> wakes;  // with the process that wakes the others
};

class Process final : public store::Peers {
 public:
  Process(Lives& lives, std::string name) : lives_(lives), name_(std::move(name)) {}
  const std::string& self() const override { return name_; }
  bool isAlive(const std::string& process) const override {
    const std::lock_guard lock(lives_.mutex);
    return !lives_.ended.contains(process);
  }
  Result<bool> hasOthers() const override { return true; }
  void wakeOthers() override { lives_.wakes.notify(name_); }
  std::shared_ptr<void> listenForWakes(std::function<void()> listener) override {
    return lives_.wakes.add([this, listener = std::move(listener)](const std::string& by) {
      if (by != name_) listener();
    });
  }

 private:
  Lives& lives_;
  const std::string name_;
};

class StoreLeasesTest : public QueueFixture {
 protected:
  void end(const std::string& process) {
    const std::lock_guard lock(lives_.mutex);
    lives_.ended.insert(process);
  }
  bool take(StoreLeases& leases, std::string id) { return *run(taken(leases, std::move(id))); }
  static Task<bool> taken(Leases& leases, std::string id) { co_return co_await leases.take(std::move(id)); }
  size_t records() const { return store_.all({store::kControlProject, kLeases, 0}).size(); }

  Lives lives_;
  Process one_{lives_, "one"};
  Process two_{lives_, "two"};
  StoreLeases a_{store_, one_, cores_.at(0).get_executor()};
  StoreLeases b_{store_, two_, cores_.at(1).get_executor()};
};

TEST_F(StoreLeasesTest, OneProcessHoldsALeaseAtATime) {
  EXPECT_TRUE(take(a_, "j"));
  EXPECT_FALSE(take(b_, "j"));
  EXPECT_TRUE(take(b_, "k"));
  b_.release("j");  // leaves the lease of another process
  EXPECT_FALSE(take(b_, "j"));
  a_.release("j");
  EXPECT_TRUE(until([&] { return take(b_, "j"); }));
  b_.release("j");
  b_.release("k");
  EXPECT_TRUE(until([&] { return records() == 0; }));
}

TEST_F(StoreLeasesTest, ALeaseThatIsTakenAgainSurvivesItsRelease) {
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(take(a_, "j"));
    a_.release("j");
  }
  ASSERT_TRUE(take(a_, "j"));
  a_.stop();  // the releases have ended
  EXPECT_EQ(records(), 1u);
  EXPECT_FALSE(take(b_, "j"));
}

TEST_F(StoreLeasesTest, LeasesEndWithTheirProcess) {
  EXPECT_TRUE(take(a_, "j"));
  EXPECT_TRUE(take(a_, "k"));
  end("one");
  EXPECT_TRUE(take(b_, "j"));
  EXPECT_EQ(records(), 2u);
  EXPECT_TRUE(run(b_.removeLeft()));
  EXPECT_EQ(records(), 1u) << "the one that is held";
}

TEST_F(StoreLeasesTest, WithoutTheStoreNoneIsTaken) {
  store_.failWith(ErrorCode::unavailable);
  EXPECT_FALSE(take(a_, "j"));
  store_.failWith(std::nullopt);
  EXPECT_TRUE(take(b_, "j"));
}

TEST_F(StoreLeasesTest, QueuesOnOneStoreShareTheJobs) {
  const auto queueWith = [&](StoreLeases& leases) {
    auto queue = std::make_unique<Queue>(QueueDeps{store_, cores_, ids_, clock_, master_, &leases});
    Kind kind;
    kind.name = "held";
    kind.handler = [this](JobRun job) { return heldRun(std::move(job)); };
    kind.concurrency = kind.perProject = 1;
    queue->declare(std::move(kind));
    queue->start();
    return queue;
  };
  auto first = queueWith(a_);
  auto second = queueWith(b_);
  for (int i = 0; i < 30; ++i) {
    ASSERT_TRUE(run((i % 2 == 0 ? first : second)->put({.kind = "held", .payload = payload(std::to_string(i))})));
  }
  recorder_.wait(2);  // one of each
  EXPECT_EQ(running_, 2);
  barrier_.open();
  EXPECT_TRUE(untilEmpty());
  EXPECT_TRUE(first->stop(20s));
  EXPECT_TRUE(second->stop(20s));
  auto notes = recorder_.notes();
  std::ranges::sort(notes);
  EXPECT_EQ(notes.size(), 60u);  // begun and ended, each once
  EXPECT_EQ(std::unique(notes.begin(), notes.end()), notes.end());
  EXPECT_TRUE(until([&] { return records() == 0; }));
}

}  // namespace
}  // namespace mb::jobs
