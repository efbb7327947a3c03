#include "base/listeners.h"

#include <gmock/gmock.h>

#include <future>
#include <string>
#include <thread>

namespace mb {
namespace {

using testing::ElementsAre;
using Events = Listeners<int, const std::string&>;

class ListenersTest : public ::testing::Test {
 protected:
  Events::Listener noting(std::string name) {
    return
        [this, name](int number, const std::string& text) { notes_.push_back(name + std::to_string(number) + text); };
  }
  Events events_;
  std::vector<std::string> notes_;
};

TEST_F(ListenersTest, AllAreNotifiedUntilTheirHandlesAreDropped) {
  auto a = events_.add(noting("a"));
  const auto b = events_.add(noting("b"));
  events_.notify(1, "x");
  a.reset();
  EXPECT_EQ(events_.count(), 1U);
  events_.notify(2, "y");
  EXPECT_THAT(notes_, ElementsAre("a1x", "b1x", "b2y"));
}

TEST_F(ListenersTest, ABatchKeepsTheOrderOfItsEvents) {
  const auto a = events_.add(noting("a"));
  const auto b = events_.add(noting("b"));
  events_.notifyBatch([](const auto& notify) {
    for (int i = 1; i <= 2; ++i) notify(i, "x");
  });
  EXPECT_THAT(notes_, ElementsAre("a1x", "b1x", "a2x", "b2x"));
  events_.notifyBatch([](const auto&) {});
  EXPECT_EQ(notes_.size(), 4U);
}

TEST_F(ListenersTest, DroppingAHandleWaitsForARunningBatch) {
  std::promise<void> begun;
  std::promise<void> dropping;
  std::atomic<bool> ended = false;
  auto handle = events_.add([&](int number, const std::string&) {
    if (number == 2) ended = true;
  });
  std::thread notifier([&] {
    events_.notifyBatch([&](const auto& notify) {
      notify(1, "x");
      begun.set_value();
      dropping.get_future().wait();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      notify(2, "x");
    });
  });
  begun.get_future().wait();
  dropping.set_value();
  handle.reset();
  EXPECT_TRUE(ended);
  notifier.join();
}

}  // namespace
}  // namespace mb
