// What an instance knows of whether others run, while it loses the database again and again.
#include "store/mongo/suite/instances_fixture.h"

namespace mb::store {

namespace {

using namespace std::chrono_literals;

class LivenessTest : public InstancesTest {
 protected:
  // Each time the second instance has the database again, it keeps it for a while and loses it.
  void loseAgainAndAgain(CutProxy& proxy, const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      proxy.lose(CutProxy::Loses::everything);
      (void)within(10s, [&] { return !b_->healthy(); });
      proxy.lose(CutProxy::Loses::nothing);
      (void)within(20s, [&] { return b_->healthy().has_value(); });
      ++losses_;
      (void)within(4s, [&] { return stop.stop_requested(); });
    }
    proxy.lose(CutProxy::Loses::nothing);
  }
  bool isAlive(const std::string& instance) { return b_->peers()->isAlive(instance); }

  std::atomic<int> losses_{0};
};

TEST_F(LivenessTest, AKilledInstanceHasEndedForOneThatOftenLosesTheDatabase) {
  if (uriThrough(0).empty()) GTEST_SKIP() << "a proxy cannot be put before a server with TLS";
  CutProxy proxy(hostOfServer());
  openThrough(proxy);
  EXPECT_TRUE(isAlive("killed"));
  const std::jthread losing([&](const std::stop_token& stop) { loseAgainAndAgain(proxy, stop); });
  bool otherLives = true;
  EXPECT_TRUE(within(150s, [&] {
    otherLives = otherLives && isAlive(a_->peers()->self());
    return !isAlive("killed");
  }));
  EXPECT_TRUE(otherLives);
  EXPECT_GT(losses_, 2);
}

TEST_F(LivenessTest, AnInstanceThatLostTheDatabaseKnowsNothingOfOthers) {
  if (uriThrough(0).empty()) GTEST_SKIP() << "a proxy cannot be put before a server with TLS";
  CutProxy proxy(hostOfServer());
  openThrough(proxy);
  ASSERT_TRUE(within(60s, [&] { return !isAlive("killed"); }));
  proxy.lose(CutProxy::Loses::everything);
  EXPECT_TRUE(within(20s, [&] { return isAlive("killed"); }));
  proxy.lose(CutProxy::Loses::nothing);
  // It need not be shown again.
  EXPECT_TRUE(within(20s, [&] { return !isAlive("killed"); }));
  EXPECT_TRUE(isAlive(a_->peers()->self()));
}

TEST_F(LivenessTest, AnInstanceThatClosedTheStoreHasEndedAtOnce) {
  const auto other = open(uriOfServer());
  const std::string name = other->peers()->self();
  EXPECT_TRUE(isAlive(name));
  other->close();
  EXPECT_TRUE(within(20s, [&] { return !isAlive(name); }));
}

}  // namespace

}  // namespace mb::store
