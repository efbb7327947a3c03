#include "billing/daily_recount.h"

#include "billing/calendar.h"
#include "billing/usage_fixture.h"

namespace mb::billing {
namespace {

constexpr int64_t kBeginsAtMs = 5 * kHourMs;

class DailyRecountTest : public UsageFixture {
 protected:
  void runPass() { EXPECT_TRUE(run(passed())); }
  Task<> passed() {
    co_await recount_.dailyPass();
    co_return Result<>();
  }
  std::vector<store::ProjectNo> numbers(const std::vector<projects::ProjectView>& views) {
    std::vector<store::ProjectNo> all;
    for (const auto& view : views) all.push_back(static_cast<store::ProjectNo>(recordOf(view.id).number));
    std::ranges::sort(all);
    return all;
  }
  // The projects that were recounted since the last call, ascending.
  std::vector<store::ProjectNo> recounted() {
    std::vector<store::ProjectNo> all = store_.recounts();
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(seen_));
    seen_ += all.size();
    std::ranges::sort(all);
    return all;
  }

  const policy::Caller ann_ = person("ann@example.com");
  const projects::ProjectView shop_ = made(ann_, "Shop");
  DailyRecount recount_{{store_, clock_, kBeginsAtMs}};
  size_t seen_ = 0;
};

TEST_F(DailyRecountTest, EachProjectIsRecountedOnceADay) {
  const policy::Caller bob = person("bob@example.com");
  const projects::ProjectView blog = made(bob, "Blog");
  const projects::ProjectView stage = environment(ann_, shop_, "stage");
  const projects::ProjectView old = made(bob, "Old");
  ASSERT_TRUE(run(projects_->remove(by(bob), old.id.str())));
  const auto all = numbers({shop_, blog, stage});
  clock_.set(at("2027-01-15T05:00:00Z").ms);
  runPass();
  EXPECT_EQ(recounted(), all);
  runPass();
  clock_.set(at("2027-01-16T04:59:59Z").ms);
  runPass();
  EXPECT_EQ(recounted(), std::vector<store::ProjectNo>());
  clock_.set(at("2027-01-16T05:00:00Z").ms);
  runPass();
  EXPECT_EQ(recounted(), all);
}

// The first pass does not wait for the beginning of a day: the process may have been started shortly after it.
TEST_F(DailyRecountTest, TheFirstPassIsAtAnyTime) {
  clock_.set(at("2027-01-15T23:00:00Z").ms);
  runPass();
  EXPECT_EQ(recounted(), numbers({shop_}));
  clock_.set(at("2027-01-16T05:00:00Z").ms);
  runPass();
  EXPECT_EQ(recounted(), numbers({shop_}));
}

TEST_F(DailyRecountTest, AFailureToReadTheProjectsIsRetried) {
  store_.failWith(ErrorCode::unavailable);
  runPass();
  EXPECT_EQ(recounted(), std::vector<store::ProjectNo>());
  store_.failWith(std::nullopt);
  runPass();
  EXPECT_EQ(recounted(), numbers({shop_}));
}

TEST_F(DailyRecountTest, NothingIsRecountedAfterTheStop) {
  recount_.stop();
  runPass();
  EXPECT_EQ(recounted(), std::vector<store::ProjectNo>());
}

}  // namespace
}  // namespace mb::billing
