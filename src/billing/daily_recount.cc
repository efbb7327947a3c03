#include "billing/daily_recount.h"

#include <algorithm>

#include "base/log.h"
#include "billing/accounts.h"
#include "billing/calendar.h"
#include "billing/project_pages.h"

namespace mb::billing {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kInterval = std::chrono::minutes(10);
// The first recount comes between these two, after a share of the hour that depends on `beginsAtMs`.
constexpr milliseconds kFirstAfter = std::chrono::minutes(5);
constexpr milliseconds kFirstBefore = std::chrono::hours(1);
// A recount uses at most a tenth of one thread.
constexpr int kPauseFactor = 9;
constexpr milliseconds kMaxPause = std::chrono::minutes(1);

milliseconds firstAfter(int64_t beginsAtMs) {
  return kFirstAfter + milliseconds(beginsAtMs % (kFirstBefore - kFirstAfter).count());
}

}  // namespace

void DailyRecount::start(const Executor& executor, TaskGroup& tasks) {
  passes_.start(executor, tasks, {.interval = kInterval, .firstAfter = firstAfter(deps_.beginsAtMs)},
                [this] { return dailyPass(); });
}

void DailyRecount::stop() {
  passes_.stop();
  stopped_.notifyAll();
}

Async<void> DailyRecount::dailyPass() {
  const int64_t day = (deps_.clock.now().ms - deps_.beginsAtMs) / kDayMs;
  if (day == lastDay_) co_return;
  const Result<bool> done = co_await pass();
  if (done && *done) lastDay_ = day;
  if (!done) logWarn("meters not recounted; retried in ten minutes", {{"problem", done.error().message()}});
}

Task<bool> DailyRecount::pass() {
  std::string after;
  do {
    CO_TRY(ProjectPage page, co_await projectPage(deps_.store, std::nullopt, std::move(after), kEpochPage));
    for (const store::ProjectNo project : numbersOf(page.projects)) {
      if (passes_.stopping()) co_return false;
      const auto began = std::chrono::steady_clock::now();
      co_await recount(project);
      const auto now = std::chrono::steady_clock::now();
      const auto pause = std::min<std::chrono::steady_clock::duration>((now - began) * kPauseFactor, kMaxPause);
      co_await stopped_.waitUntil(now + pause, [this] { return passes_.stopping(); });
    }
    after = std::move(page.next);
  } while (!after.empty());
  co_return !passes_.stopping();
}

Async<void> DailyRecount::recount(store::ProjectNo project) {
  const Result<store::CounterRecount> done =
      co_await deps_.store.recountCounters(project, {.stop = &passes_.stopFlag()});
  // A project that was purged since has no meters.
  if (done || passes_.stopping() || done.error().code() == ErrorCode::notFound) co_return;
  logWarn("meters of a project not recounted; retried in a day",
          {{"project", project}, {"problem", done.error().message()}, {"cause", done.error().cause()}});
}

}  // namespace mb::billing
