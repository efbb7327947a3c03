#include "api/metric_series.h"

#include <gtest/gtest.h>

#include "configuration/configuration_fixture.h"

namespace mb::api {
namespace {

constexpr store::ProjectNo kShop = 2;
// The start of an hour.
constexpr int64_t kStart = 500'000 * kHourMs;

class MetricSeriesTest : public ::testing::Test {
 protected:
  MetricSeriesTest() {
    cores_.start();
    restart();
  }
  ~MetricSeriesTest() override {
    series_.reset();
    cores_.stop();
    cores_.join();
  }

  template <class T>
  Result<T> run(Task<T> task) {
    return store::testing::runOn(cores_, 0, std::move(task));
  }
  // Another process on the same store.
  void restart() {
    shop_.reset();
    series_.reset();
    counters_ = std::make_unique<RequestCounters>(1, clock_);
    series_ = std::make_unique<MetricSeries>(
        MetricSeriesDeps{store_, *counters_, [this](store::ProjectNo) { return sockets_; },
                         [this] { return std::exchange(endedRuns_, {}); }, clock_});
    snapshot::ProjectInfo info;
    info.number = kShop;
    shop_ = std::static_pointer_cast<const ProjectCounters>(*run(counters_->load(std::move(info))));
  }
  static Task<> counting(const ProjectCounters& counters, int times, int status) {
    for (int i = 0; i < times; ++i) counters.count(CountedPlane::data, status);
    co_return Result<>();
  }
  void count(int times, int status = 200) { EXPECT_TRUE(run(counting(*shop_, times, status))); }
  Result<> pass() { return run(series_->pass(clock_.now().ms / kHourMs)); }
  Result<> lastPass() { return run(series_->pass(clock_.now().ms / kHourMs + 1)); }
  Series read(std::string_view window) {
    const auto found = std::ranges::find(kSeriesWindows, window, &SeriesWindow::name);
    auto series = run(series_->read(kShop, *shop_, *found));
    EXPECT_TRUE(series);
    return series ? *std::move(series) : Series{};
  }
  // Requests of the data plane: "-" for a gap, runs of equal steps as "<value>x<steps>".
  std::string shown(std::string_view window, size_t place = 2 * static_cast<size_t>(CountedPlane::data)) {
    std::vector<std::pair<std::string, int>> steps;
    for (const auto& point : read(window).points) {
      const std::string text = point ? std::to_string(point->requests[place]) : "-";
      if (steps.empty() || steps.back().first != text) steps.emplace_back(text, 0);
      ++steps.back().second;
    }
    std::string all;
    for (const auto& [text, times] : steps) all += fmt::format("{}x{} ", text, times);
    return all;
  }

  ManualClock clock_{kStart};
  Cores cores_{1};
  store::testing::MemoryStore memory_{systemCollections()};
  configuration::StoppingStore store_{memory_};
  int64_t sockets_ = 0;
  std::unordered_map<store::ProjectNo, uint32_t> endedRuns_;
  std::unique_ptr<RequestCounters> counters_;
  std::unique_ptr<MetricSeries> series_;
  std::shared_ptr<const ProjectCounters> shop_;
};

TEST_F(MetricSeriesTest, MinutesQuartersAndHours) {
  count(3);
  count(1, 404);
  ASSERT_TRUE(pass());
  clock_.advance(2 * kMinuteMs);
  ASSERT_TRUE(pass());
  count(2);
  EXPECT_EQ(shown("1h"), "-x57 3x1 0x1 2x1 ");
  EXPECT_EQ(shown("1h", 2 * static_cast<size_t>(CountedPlane::data) + 1), "-x57 1x1 0x2 ");
  EXPECT_EQ(shown("24h"), "-x95 5x1 ");
  EXPECT_EQ(shown("7d"), "-x167 5x1 ");
  const Series series = read("1h");
  EXPECT_EQ(series.from.ms, kStart + 3 * kMinuteMs - 60 * kMinuteMs);
  EXPECT_EQ(series.stepMs, kMinuteMs);
}

TEST_F(MetricSeriesTest, HoursThatHavePassedAreStored) {
  for (int hour = 0; hour < 3; ++hour) {
    count(hour + 1);
    ASSERT_TRUE(pass());
    clock_.advance(kHourMs);
    ASSERT_TRUE(pass());
  }
  EXPECT_EQ(memory_.all({kShop, kMetricHours, 0}).size(), 3u);
  EXPECT_EQ(shown("7d"), "-x164 1x1 2x1 3x1 0x1 ");
  restart();
  // The hour under way was not stored.
  EXPECT_EQ(shown("7d"), "-x164 1x1 2x1 3x1 0x1 ");
  EXPECT_EQ(shown("1h"), "-x59 0x1 ");
}

TEST_F(MetricSeriesTest, AStopStoresTheHourUnderWay) {
  count(4);
  ASSERT_TRUE(lastPass());
  restart();
  EXPECT_EQ(shown("24h"), "-x95 4x1 ");
  count(3);
  ASSERT_TRUE(lastPass());
  restart();
  EXPECT_EQ(shown("24h"), "-x95 7x1 ");
}

TEST_F(MetricSeriesTest, AGapIsShownWhereNoServerRan) {
  count(1);
  ASSERT_TRUE(lastPass());
  clock_.advance(2 * kHourMs);
  restart();
  count(2);
  EXPECT_EQ(shown("24h"), "-x87 1x1 -x7 2x1 ");
  EXPECT_EQ(shown("7d"), "-x165 1x1 -x1 2x1 ");
  // A server that is killed loses the hour under way.
  ASSERT_TRUE(pass());
  clock_.advance(kHourMs);
  restart();
  EXPECT_EQ(shown("7d"), "-x164 1x1 -x2 0x1 ");
}

TEST_F(MetricSeriesTest, WhatCouldNotBeStoredIsTriedAgain) {
  count(5);
  ASSERT_TRUE(pass());
  clock_.advance(kHourMs);
  store_.stopAfter(0);
  EXPECT_FALSE(pass());
  store_.stopAfter(-1);
  EXPECT_EQ(shown("7d"), "-x166 5x1 0x1 ");
  count(1);
  ASSERT_TRUE(pass());
  EXPECT_EQ(memory_.all({kShop, kMetricHours, 0}).size(), 1u);
  EXPECT_EQ(shown("7d"), "-x166 5x1 1x1 ");
}

TEST_F(MetricSeriesTest, TheStoreHoldsARing) {
  for (int hour = 0; hour < 400; ++hour) {
    count(1);
    ASSERT_TRUE(pass());
    clock_.advance(kHourMs);
    ASSERT_TRUE(pass());
  }
  EXPECT_EQ(memory_.all({kShop, kMetricHours, 0}).size(), static_cast<size_t>(kStoredHours));
  EXPECT_EQ(memory_.all({store::kControlProject, kCountedHours, 0}).size(), static_cast<size_t>(kStoredHours));
  EXPECT_EQ(shown("7d"), "1x167 0x1 ");
}

TEST_F(MetricSeriesTest, RunsAddUpAndSocketsAreTheMost) {
  for (const int64_t open : {1, 4, 2}) {
    sockets_ = open;
    ++endedRuns_[kShop];
    ASSERT_TRUE(pass());
    clock_.advance(10'000);
  }
  for (const std::string_view window : {"1h", "24h", "7d"}) {
    const auto points = read(window).points;
    ASSERT_TRUE(points.back());
    EXPECT_EQ(points.back()->sockets, 4u);
    EXPECT_EQ(points.back()->runs, 3u);
  }
}

TEST_F(MetricSeriesTest, ProjectsAreApart) {
  ++endedRuns_[kShop + 1];
  EXPECT_EQ(read("1h").points.back()->runs, 0u);
}

}  // namespace
}  // namespace mb::api
