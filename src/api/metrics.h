// Counts the requests of each project by plane and outcome. Each core counts the requests that it serves; the sums are
// computed when they are read. The counters are per process and live as long as the project's snapshot (snapshot/): a
// project whose snapshot was evicted after long disuse starts again from zero. `since` is the time of that start.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "api/routes.h"
#include "base/clock.h"
#include "plans/plans.h"

namespace mb::billing {
class Overview;
}

namespace mb::api {

enum class CountedPlane : uint8_t { auth, data, admin, graphql, storage, functions };
inline constexpr std::array<std::string_view, 6> kCountedPlanes = {"auth",    "data",    "admin",
                                                                   "graphql", "storage", "functions"};
inline constexpr size_t kRequestCounts = 2 * kCountedPlanes.size();  // ok and error of each plane

// The plane under which requests of a route are counted; nullopt for routes without a project.
std::optional<CountedPlane> countedPlaneOf(const Route& route);

// The counters of one project. Any thread.
class ProjectCounters {
 public:
  struct Count {
    uint64_t ok = 0;
    uint64_t error = 0;
  };
  ProjectCounters(int cores, Timestamp since);
  ~ProjectCounters();
  ProjectCounters(const ProjectCounters&) = delete;
  ProjectCounters& operator=(const ProjectCounters&) = delete;

  // Counts a response; status 400 and above is an error. Must be called on a core.
  void count(CountedPlane plane, int status) const;
  Count of(CountedPlane plane) const;
  struct Increase {
    Timestamp from;  // of the call before, or since()
    std::array<uint32_t, kRequestCounts> requests{};
  };
  // The requests since the call before. One caller at a time (MetricSeries).
  Increase takeIncrease(Timestamp now) const;
  Timestamp since() const { return since_; }

 private:
  // The counters of one core, so that no two cores write to the same cache line; allocated on the core's first count.
  struct alignas(64) Line {
    std::array<std::atomic<uint64_t>, kRequestCounts> counts{};
  };
  const size_t cores_;
  const Timestamp since_;
  const std::unique_ptr<std::atomic<Line*>[]> lines_;
  mutable Timestamp takenAt_;
  mutable std::array<uint64_t, kRequestCounts> taken_{};
};

// Puts a project's counters into its snapshot; a reloaded snapshot gets the counters of the previous one.
class RequestCounters final : public snapshot::SlotSource {
 public:
  RequestCounters(int cores, const Clock& clock) : cores_(cores), clock_(clock) {}
  Task<std::shared_ptr<const void>> load(snapshot::ProjectInfo project) override;
  // Those in use, by project. Any thread.
  std::vector<std::pair<store::ProjectNo, std::shared_ptr<const ProjectCounters>>> all();

 private:
  const int cores_;
  const Clock& clock_;
  std::mutex mutex_;
  std::unordered_map<store::ProjectNo, std::weak_ptr<const ProjectCounters>> known_;
  size_t pruneAt_ = 1024;
};

class MetricSeries;

// GET /api/v1/admin/metrics, /metrics/series and /usage.
class MetricsRoutes {
 public:
  // `series` outlives this.
  MetricsRoutes(snapshot::SlotKey<ProjectCounters> counters, MetricSeries& series)
      : counters_(counters), series_(series) {}
  void addTo(RouteTable& routes);
  // With billing. Outlives this; before the first request.
  void setUsage(billing::Overview& overview, plans::PlanSlot plan) {
    overview_ = &overview;
    plan_ = plan;
  }

  Task<Reply> metrics(RequestContext& context);
  Task<Reply> series(RequestContext& context);
  // Without billing nothing is metered or limited: all fields are null.
  Task<Reply> usage(RequestContext& context);

 private:
  const snapshot::SlotKey<ProjectCounters> counters_;
  MetricSeries& series_;
  billing::Overview* overview_ = nullptr;
  plans::PlanSlot plan_;
};

}  // namespace mb::api
