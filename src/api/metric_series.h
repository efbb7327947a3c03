// MetricSeries shows how a project's counts went over the last hour, day or week. The last hour is in memory, by
// minutes. Quarters of hours are stored once their hour has passed, and when the server stops, so that days and weeks
// survive a restart; a server that is killed loses the hour under way.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/metric_point.h"
#include "base/periodic_task.h"

namespace mb::api {

struct SeriesWindow {
  std::string_view name;  // "24h"
  int64_t stepMs = 0;
  size_t points = 0;
};
inline constexpr std::array<SeriesWindow, 3> kSeriesWindows = {
    {{"1h", kMinuteMs, 60}, {"24h", kQuarterMs, 96}, {"7d", kHourMs, 168}}};

struct Series {
  Timestamp from;
  int64_t stepMs = 0;
  // nullopt: no server counted in the step, or its counts were lost.
  std::vector<std::optional<MetricPoint>> points;
};

// References outlive the MetricSeries.
struct MetricSeriesDeps {
  store::DocumentStore& store;
  RequestCounters& counters;
  std::function<int64_t(store::ProjectNo)> sockets;  // how many a project has open; any core
  // Runs of functions that ended since the call before, by project; any core.
  std::function<std::unordered_map<store::ProjectNo, uint32_t>()> endedRuns;
  const Clock& clock;
};

// At most kMaxSeriesProjects projects that were active in the last hour; the counts of others are left out. Any core.
inline constexpr size_t kMaxSeriesProjects = 50'000;

class MetricSeries {
 public:
  explicit MetricSeries(MetricSeriesDeps deps);

  // The series of the window up to now; the last step is under way. `counters`: of the project. Fails with unavailable
  // while the project's counts are being stored for more than a second, and with the store's error.
  Task<Series> read(store::ProjectNo project, const ProjectCounters& counters, SeriesWindow window);

  // Reads all counters every ten seconds in `tasks`, and stores hours that have passed. A failure is logged once and
  // retried.
  void start(const Executor& executor, TaskGroup& tasks);
  // What was counted before the call is still stored.
  void stop() { passes_.stop(); }
  // One pass: reads the counters and stores the hours before `before`, since 1970.
  Task<> pass(int64_t before);

 private:
  struct Tracked {
    MetricPoints minutes;
    MetricPoints quarters;  // not stored yet
    MetricPoints inFlight;  // being stored
    uint64_t version = 0;   // changes whenever quarters move to the store
  };
  struct Batch {
    std::vector<std::pair<store::ProjectNo, MetricPoints>> projects;
  };
  void sampleRuns(Timestamp now);
  // REQUIRES: mutex_ is held.
  void sample(store::ProjectNo project, const ProjectCounters& counters, Timestamp now);
  void addAt(store::ProjectNo project, Timestamp at, const MetricPoint& point);

  Async<void> loggedPass();
  void forgetIdle(Timestamp now);
  std::optional<Batch> nextBatch(int64_t beforeHour);
  void endBatch(const Batch& batch, bool stored, Timestamp now);
  Task<> storeBatch(const Batch& batch);
  Task<> storeCounted(int64_t beforeHour);
  // The project's quarters from `first` on: stored and pending ones. nullopt: they moved during the read.
  Task<std::optional<MetricPoints>> tryQuarters(store::ProjectNo project, int64_t firstHour, int64_t lastHour);
  // The quarters in which a server counted.
  Task<std::vector<int64_t>> countedQuarters(int64_t firstHour, int64_t lastHour, Timestamp now);

  const MetricSeriesDeps deps_;
  const Timestamp startedAt_;
  std::mutex mutex_;
  std::unordered_map<store::ProjectNo, Tracked> tracked_;
  Timestamp runsTakenAt_;
  uint64_t versions_ = 0;
  int64_t countedFrom_;  // the hour from which on countedHours are not stored yet; used by passes only
  PeriodicTask passes_;
  bool passFails_ = false;  // the last one failed
};

}  // namespace mb::api
