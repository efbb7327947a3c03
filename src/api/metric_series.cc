#include "api/metric_series.h"

#include <algorithm>

#include "base/cores.h"
#include "base/log.h"
#include "configuration/resource_kind.h"
#include "store/record_query.h"
#include "store/records.h"
#include "store/write.h"

namespace mb::api {

namespace {

using namespace std::chrono_literals;

constexpr auto kInterval = 10s;
constexpr size_t kBatchProjects = 100;
constexpr int64_t kMinutesKept = 61;
// Of a read while the project's quarters are being stored.
constexpr int kReadAttempts = 50;
constexpr auto kReadPause = 20ms;

store::CollectionRef in(store::ProjectNo project, store::CollectionNo collection) {
  return {project, collection, 0};
}

store::WriteOptions asServer() {
  return {.deadline = store::readDeadline(),
          .actor = {store::ActorKind::server, ""},
          .priority = store::WritePriority::low,
          .bumpEpochs = {}};
}

std::vector<std::string> idsOfHours(int64_t first, int64_t last) {
  std::vector<std::string> ids;
  for (int64_t hour = first; hour <= last; ++hour) ids.push_back(hourId(hour));
  return ids;
}

void mergeInto(MetricPoints& into, const MetricPoints& other) {
  for (const auto& [at, point] : other) into[at].add(point);
}

}  // namespace

MetricSeries::MetricSeries(MetricSeriesDeps deps)
    : deps_(std::move(deps)),
      startedAt_(deps_.clock.now()),
      runsTakenAt_(startedAt_),
      countedFrom_(startedAt_.ms / kHourMs) {}

// ---- counting

void MetricSeries::addAt(store::ProjectNo project, Timestamp at, const MetricPoint& point) {
  auto found = tracked_.find(project);
  if (found == tracked_.end()) {
    if (tracked_.size() >= kMaxSeriesProjects) return;
    found = tracked_.try_emplace(project).first;
    found->second.version = ++versions_;
  }
  Tracked& tracked = found->second;
  tracked.minutes[at.ms / kMinuteMs].add(point);
  tracked.quarters[at.ms / kQuarterMs].add(point);
  tracked.minutes.erase(tracked.minutes.begin(), tracked.minutes.lower_bound(at.ms / kMinuteMs - kMinutesKept));
}

void MetricSeries::sample(store::ProjectNo project, const ProjectCounters& counters, Timestamp now) {
  const ProjectCounters::Increase increase = counters.takeIncrease(now);
  MetricPoint counted;
  counted.requests = increase.requests;
  // The requests came since the reading before.
  if (counted != MetricPoint()) addAt(project, increase.from, counted);
  MetricPoint open;
  open.sockets = static_cast<uint32_t>(std::max<int64_t>(deps_.sockets(project), 0));
  if (open.sockets > 0) addAt(project, now, open);
}

void MetricSeries::sampleRuns(Timestamp now) {
  const auto ended = deps_.endedRuns();
  const std::scoped_lock lock(mutex_);
  // They ended since the reading before.
  const Timestamp from = std::exchange(runsTakenAt_, now);
  for (const auto& [project, runs] : ended) {
    MetricPoint point;
    point.runs = runs;
    addAt(project, from, point);
  }
}

// ---- passes

void MetricSeries::start(const Executor& executor, TaskGroup& tasks) {
  passes_.start(executor, tasks, {.interval = kInterval, .atStop = true}, [this] { return loggedPass(); });
}

Async<void> MetricSeries::loggedPass() {
  // The last pass stores the hour under way too.
  const int64_t hour = deps_.clock.now().ms / kHourMs;
  const Result<> done = co_await pass(passes_.stopping() ? hour + 1 : hour);
  if (!done && !passFails_) {
    logWarn("series of metrics cannot be stored; retrying", {{"problem", done.error().message()}});
  }
  passFails_ = !done;
}

Task<> MetricSeries::pass(int64_t before) {
  configuration::CooperativeYielder yielder;
  const Timestamp now = deps_.clock.now();
  sampleRuns(now);
  for (const auto& [project, counters] : deps_.counters.all()) {
    {
      const std::scoped_lock lock(mutex_);
      sample(project, *counters, now);
    }
    co_await yielder.maybeYield();
  }
  // Most passes store nothing: an hour ends once in an hour.
  if (before <= countedFrom_) co_return Result<>();
  forgetIdle(now);
  while (const std::optional<Batch> batch = nextBatch(before)) {
    Result<> stored = co_await storeBatch(*batch);
    endBatch(*batch, stored.has_value(), now);
    if (!stored) co_return stored;
  }
  co_return co_await storeCounted(before);
}

void MetricSeries::forgetIdle(Timestamp now) {
  const std::scoped_lock lock(mutex_);
  const int64_t oldest = now.ms / kMinuteMs - kMinutesKept;
  std::erase_if(tracked_, [&](const auto& entry) {
    const Tracked& tracked = entry.second;
    const bool isIdle = tracked.minutes.empty() || tracked.minutes.rbegin()->first < oldest;
    return isIdle && tracked.quarters.empty() && tracked.inFlight.empty();
  });
}

std::optional<MetricSeries::Batch> MetricSeries::nextBatch(int64_t beforeHour) {
  Batch batch;
  const int64_t end = beforeHour * kQuartersPerHour;
  const std::scoped_lock lock(mutex_);
  for (auto& [project, tracked] : tracked_) {
    if (tracked.quarters.empty() || tracked.quarters.begin()->first >= end) continue;
    const auto last = tracked.quarters.lower_bound(end);
    tracked.inFlight.insert(tracked.quarters.begin(), last);
    tracked.quarters.erase(tracked.quarters.begin(), last);
    tracked.version = ++versions_;
    batch.projects.emplace_back(project, tracked.inFlight);
    if (batch.projects.size() >= kBatchProjects) break;
  }
  return batch.projects.empty() ? std::nullopt : std::optional(std::move(batch));
}

void MetricSeries::endBatch(const Batch& batch, bool stored, Timestamp now) {
  const int64_t oldest = (now.ms / kHourMs - kStoredHours) * kQuartersPerHour;
  const std::scoped_lock lock(mutex_);
  for (const auto& [project, points] : batch.projects) {
    Tracked& tracked = tracked_[project];
    if (!stored) mergeInto(tracked.quarters, tracked.inFlight);
    tracked.inFlight.clear();
    // While the store refuses writes.
    tracked.quarters.erase(tracked.quarters.begin(), tracked.quarters.lower_bound(oldest));
    tracked.version = ++versions_;
  }
}

Task<> MetricSeries::storeBatch(const Batch& batch) {
  struct Part {
    store::Target target;
    int64_t hour;
    MetricPoints quarters;
  };
  store::Write write(asServer());
  std::vector<Part> parts;
  for (const auto& [project, points] : batch.projects) {
    int64_t hour = -1;
    for (const auto& [quarter, point] : points) {
      if (quarter / kQuartersPerHour == hour) continue;
      hour = quarter / kQuartersPerHour;
      parts.push_back({write.change(in(project, kMetricHours), hourId(hour)), hour, points});
    }
  }
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write),
      [parts = std::move(parts)](const store::PreImages& before, store::Changes& changes) -> Result<> {
        for (const Part& part : parts) {
          TRY(const std::optional<MetricHour> stored, store::fromStore<MetricHour>(before[part.target]));
          MetricPoints all = part.quarters;
          if (stored) addStored(all, *stored, part.hour);
          changes.put(part.target, doc::encode(storedHour(part.hour, all)));
        }
        return {};
      }));
  co_return Result<>();
}

// After the counts of the hours: until then a gap is shown in their place.
Task<> MetricSeries::storeCounted(int64_t beforeHour) {
  const int64_t first = startedAt_.ms / kQuarterMs;
  const int64_t last = deps_.clock.now().ms / kQuarterMs;
  // Hours that are no longer in the ring would replace later ones.
  for (int64_t hour = std::max(countedFrom_, beforeHour - kStoredHours); hour < beforeHour; ++hour) {
    int64_t bits = 0;
    for (int64_t i = 0; i < kQuartersPerHour; ++i) {
      const int64_t quarter = hour * kQuartersPerHour + i;
      if (quarter >= first && quarter <= last) bits |= int64_t{1} << i;
    }
    store::Write write(asServer());
    const store::Target target = write.change(in(store::kControlProject, kCountedHours), hourId(hour));
    CO_RETURN_IF_ERROR(co_await deps_.store.write(
        std::move(write), [target, hour, bits](const store::PreImages& before, store::Changes& changes) -> Result<> {
          TRY(const std::optional<CountedHour> stored, store::fromStore<CountedHour>(before[target]));
          const int64_t known = stored && stored->hour == hour ? stored->quarters : 0;
          changes.put(target, doc::encode(CountedHour{hourId(hour), hour, known | bits}));
          return {};
        }));
  }
  countedFrom_ = beforeHour;
  co_return Result<>();
}

// ---- reading

Task<std::optional<MetricPoints>> MetricSeries::tryQuarters(store::ProjectNo project, int64_t firstHour,
                                                            int64_t lastHour) {
  const auto pending = [&]() -> std::optional<std::pair<uint64_t, MetricPoints>> {
    const std::scoped_lock lock(mutex_);
    const auto found = tracked_.find(project);
    if (found == tracked_.end()) return std::pair<uint64_t, MetricPoints>();
    if (!found->second.inFlight.empty()) return std::nullopt;
    return std::pair(found->second.version, found->second.quarters);
  };
  auto before = pending();
  if (!before) co_return std::nullopt;
  CO_TRY(const auto documents,
         co_await deps_.store.getMany(in(project, kMetricHours), idsOfHours(firstHour, lastHour)));
  const auto after = pending();
  if (!after || after->first != before->first) co_return std::nullopt;
  MetricPoints points = std::move(before->second);
  for (size_t i = 0; i < documents.size(); ++i) {
    CO_TRY(const std::optional<MetricHour> stored, store::fromStore<MetricHour>(documents[i]));
    if (stored) addStored(points, *stored, firstHour + static_cast<int64_t>(i));
  }
  co_return points;
}

Task<std::vector<int64_t>> MetricSeries::countedQuarters(int64_t firstHour, int64_t lastHour, Timestamp now) {
  std::vector<int64_t> quarters;
  CO_TRY(const auto documents,
         co_await deps_.store.getMany(in(store::kControlProject, kCountedHours), idsOfHours(firstHour, lastHour)));
  for (size_t i = 0; i < documents.size(); ++i) {
    const int64_t hour = firstHour + static_cast<int64_t>(i);
    CO_TRY(const std::optional<CountedHour> stored, store::fromStore<CountedHour>(documents[i]));
    if (!stored || stored->hour != hour) continue;
    for (int64_t bit = 0; bit < kQuartersPerHour; ++bit) {
      if ((stored->quarters >> bit & 1) != 0) quarters.push_back(hour * kQuartersPerHour + bit);
    }
  }
  const int64_t first = std::max(startedAt_.ms / kQuarterMs, firstHour * kQuartersPerHour);
  for (int64_t quarter = first; quarter <= now.ms / kQuarterMs; ++quarter) quarters.push_back(quarter);
  co_return quarters;
}

Task<Series> MetricSeries::read(store::ProjectNo project, const ProjectCounters& counters, SeriesWindow window) {
  const Timestamp now = deps_.clock.now();
  Series series;
  series.stepMs = window.stepMs;
  series.from = {(now.ms / window.stepMs + 1) * window.stepMs - static_cast<int64_t>(window.points) * window.stepMs};
  series.points.resize(window.points);
  // Where nothing is added the step has counts of zero.
  const auto put = [&](int64_t atMs, const MetricPoint& point) {
    const int64_t index = (atMs - series.from.ms) / window.stepMs;
    if (atMs < series.from.ms || index >= static_cast<int64_t>(window.points)) return;
    std::optional<MetricPoint>& step = series.points[static_cast<size_t>(index)];
    if (!step) step.emplace();
    step->add(point);
  };
  sampleRuns(now);
  {
    const std::scoped_lock lock(mutex_);
    sample(project, counters, now);
    if (window.stepMs < kQuarterMs) {
      const int64_t first = std::max(startedAt_.ms, series.from.ms) / kMinuteMs;
      for (int64_t minute = first; minute <= now.ms / kMinuteMs; ++minute) put(minute * kMinuteMs, {});
      const auto found = tracked_.find(project);
      if (found == tracked_.end()) co_return series;
      for (const auto& [minute, point] : found->second.minutes) put(minute * kMinuteMs, point);
      co_return series;
    }
  }
  const int64_t firstHour = series.from.ms / kHourMs;
  const int64_t lastHour = now.ms / kHourMs;
  CO_TRY(const std::vector<int64_t> counted, co_await countedQuarters(firstHour, lastHour, now));
  for (const int64_t quarter : counted) put(quarter * kQuarterMs, {});
  for (int attempt = 0; attempt < kReadAttempts; ++attempt) {
    if (attempt > 0) co_await sleepFor(kReadPause);
    CO_TRY(const std::optional<MetricPoints> quarters, co_await tryQuarters(project, firstHour, lastHour));
    if (!quarters) continue;
    for (const auto& [quarter, point] : *quarters) put(quarter * kQuarterMs, point);
    co_return series;
  }
  co_return fail(ErrorCode::unavailable, "the series is being stored: try again");
}

}  // namespace mb::api
