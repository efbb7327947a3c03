#include "store/mongo/beat_history.h"

#include <gmock/gmock.h>

namespace mb::store::mongo {

namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A stream of beats in which a test decides what time the database has.
class BeatHistoryTest : public ::testing::Test {
 protected:
  bool beat(std::string_view instance, std::optional<int64_t> wakes = std::nullopt) {
    return history_.note(instance, {.number = ++number_, .at = now_, .wakes = wakes});
  }
  // Beats of `instances`, four times a second.
  void beatFor(std::chrono::milliseconds time, const std::vector<std::string>& instances) {
    for (auto passed = 0ms; passed < time; passed += 250ms) {
      now_.ms += 250;
      for (const std::string& each : instances) beat(each);
    }
  }

  // What a row shows, or an event at the end of an instance.
  static BeatHistory::Beat stored(int64_t number, bool ended = false) { return {number, {}, {}, ended}; }

  BeatHistory history_;
  Timestamp now_{1'000'000};
  int64_t number_ = 0;
};

TEST_F(BeatHistoryTest, AnInstanceIsSilentWhileOthersSendBeats) {
  beat("a");
  beat("b");
  beatFor(10s, {"a", "b"});
  EXPECT_EQ(history_.silence("b"), 0ms);
  EXPECT_THAT(history_.silentFor(1s), IsEmpty());
  beatFor(31s, {"a"});
  EXPECT_EQ(history_.silence("a"), 0ms);
  EXPECT_EQ(history_.silence("b"), 31s);
  EXPECT_THAT(history_.silentFor(30s), ElementsAre("b"));
  // It was only away.
  beat("b");
  EXPECT_EQ(history_.silence("b"), 0ms);
  EXPECT_THAT(history_.silentFor(5s), IsEmpty());
}

TEST_F(BeatHistoryTest, AnInstanceWithoutBeatsIsSilentSinceTheFirstOfAll) {
  EXPECT_EQ(history_.silence("unknown"), 0ms);
  beat("a");
  beatFor(12s, {"a"});
  EXPECT_EQ(history_.silence("unknown"), 12s);
}

TEST_F(BeatHistoryTest, ATimeWithoutBeatsShowsNothing) {
  beat("a");
  beat("b");
  beatFor(20s, {"a"});
  now_.ms += 3'600'000;
  beat("a");
  // What the beats before have shown is kept; of the hour a moment counts.
  EXPECT_GE(history_.silence("b"), 20s);
  EXPECT_LT(history_.silence("b"), 25s);
  for (int i = 0; i < 100; ++i) {
    now_.ms += 60'000;
    beat("a");
    beat("b");
  }
  EXPECT_EQ(history_.silence("b"), 0ms);
}

TEST_F(BeatHistoryTest, AClockThatStepsBackTakesNothingBack) {
  beat("a");
  beat("b");
  beatFor(20s, {"a"});
  now_.ms -= 3'600'000;
  beatFor(5s, {"a"});
  EXPECT_EQ(history_.silence("b"), 24'750ms);
}

TEST_F(BeatHistoryTest, AnEndIsKnownAtOnce) {
  beat("a");
  beat("b");
  history_.note("b", stored(number_, true));
  EXPECT_TRUE(history_.hasEnded("b"));
  EXPECT_FALSE(history_.hasEnded("a"));
  EXPECT_FALSE(history_.hasEnded("unknown"));
  beatFor(60s, {"a"});
  EXPECT_THAT(history_.silentFor(5s), IsEmpty());
}

TEST_F(BeatHistoryTest, RowsShowWhoSentBeatsThatWereMissed) {
  for (const char* each : {"own", "silent", "live", "ended"}) beat(each);
  const int64_t last = number_;
  beatFor(20s, {"own"});
  // The stream was lost, and begins again.
  history_.noteRow("silent", stored(last - 2));
  history_.noteRow("live", stored(last + 80));
  history_.noteRow("ended", stored(last, true));
  history_.noteRow("new", stored(5));
  EXPECT_EQ(history_.silence("silent"), 20s);
  EXPECT_EQ(history_.silence("live"), 0ms);
  EXPECT_EQ(history_.silence("new"), 0ms);
  EXPECT_TRUE(history_.hasEnded("ended"));
  beatFor(11s, {"own"});
  EXPECT_THAT(history_.silentFor(30s), ElementsAre("silent"));
  EXPECT_EQ(history_.silence("live"), 11s);
}

TEST_F(BeatHistoryTest, AWakeIsNoticedOnce) {
  EXPECT_FALSE(beat("a", 0));
  EXPECT_TRUE(beat("a", 2));
  EXPECT_FALSE(beat("a", 2));
  EXPECT_FALSE(beat("a"));
  EXPECT_TRUE(beat("a", 3));
}

TEST_F(BeatHistoryTest, InstancesThatEndedLongAgoAreForgotten) {
  beat("own");
  for (int i = 0; i < 3000; ++i) {
    beat("a" + std::to_string(i));
    now_.ms += 500;
    beat("own");
  }
  EXPECT_LE(history_.silentFor(0ms).size(), 1000U);
  EXPECT_GT(history_.silence("a0"), BeatHistory::kAlive);
  EXPECT_EQ(history_.silence("a2999"), 500ms);
}

}  // namespace

}  // namespace mb::store::mongo
