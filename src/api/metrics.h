// How many requests a project had, by plane, and how they ended: counted on the core that answers, added up when
// somebody asks. They belong to this process, and stay as long as the project's snapshot does (snapshot/): a project
// that nobody asked for in a long time, among very many, begins anew, which `since` tells. Source: contract 4.5
// ("Operations"); decisions 6 and 8.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "api/routes.h"
#include "base/clock.h"

namespace mb::api {

enum class CountedPlane : uint8_t { auth, data, admin, graphql, storage, functions };
inline constexpr std::array<std::string_view, 6> kCountedPlanes = {"auth",    "data",    "admin",
                                                                   "graphql", "storage", "functions"};

// What requests of a route count as; nullopt where they are about no project.
std::optional<CountedPlane> countedPlaneOf(const Route& route);

// Of one project. Any thread.
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

  // An answer: an error from status 400 on. On a core.
  void count(CountedPlane plane, int status) const;
  Count of(CountedPlane plane) const;
  Timestamp since() const { return since_; }

 private:
  // One core's own, so that no two write to the same cache line; made when the core first counts.
  struct alignas(64) Line {
    std::array<std::atomic<uint64_t>, 2 * kCountedPlanes.size()> counts{};
  };
  const size_t cores_;
  const Timestamp since_;
  const std::unique_ptr<std::atomic<Line*>[]> lines_;
};

// Puts a project's counters into its snapshot; a snapshot that is loaded anew gets those of the one before.
class RequestCounters final : public snapshot::SlotSource {
 public:
  RequestCounters(int cores, const Clock& clock) : cores_(cores), clock_(clock) {}
  Task<std::shared_ptr<const void>> load(snapshot::ProjectInfo project) override;

 private:
  const int cores_;
  const Clock& clock_;
  std::mutex mutex_;
  std::unordered_map<store::ProjectNo, std::weak_ptr<const ProjectCounters>> known_;
  size_t pruneAt_ = 1024;
};

// GET /api/v1/admin/metrics and /usage.
class MetricsRoutes {
 public:
  explicit MetricsRoutes(snapshot::SlotKey<ProjectCounters> counters) : counters_(counters) {}
  void addTo(RouteTable& routes);

  Task<Reply> metrics(RequestContext& context);
  // As it is without billing: nothing is metered or limited.
  Task<Reply> usage(RequestContext& context);

 private:
  const snapshot::SlotKey<ProjectCounters> counters_;
};

}  // namespace mb::api
