#include "api/metrics.h"

#include "base/cores.h"
#include "billing/overview.h"

namespace mb::api {

namespace {

constexpr int kFirstError = 400;

size_t placeOf(CountedPlane plane, bool error) {
  return 2 * static_cast<size_t>(plane) + (error ? 1 : 0);
}

}  // namespace

std::optional<CountedPlane> countedPlaneOf(const Route& route) {
  const std::string_view pattern = route.pattern;
  const auto below = [pattern](std::string_view path) {
    return pattern == path || (pattern.starts_with(path) && pattern[path.size()] == '/');
  };
  if (below("/api/v1/auth")) return CountedPlane::auth;
  if (below("/api/v1/admin")) return CountedPlane::admin;
  if (below("/api/v1/graphql")) return CountedPlane::graphql;
  if (below("/api/v1/storage")) return CountedPlane::storage;
  if (below("/api/v1/run")) return CountedPlane::functions;
  if (route.gate.plane == Plane::data || route.gate.plane == Plane::dataOrAnonymous) return CountedPlane::data;
  return std::nullopt;
}

ProjectCounters::ProjectCounters(int cores, Timestamp since)
    : cores_(static_cast<size_t>(cores)), since_(since), lines_(new std::atomic<Line*>[cores_] {}) {}

ProjectCounters::~ProjectCounters() {
  for (size_t i = 0; i < cores_; ++i) delete lines_[i].load();
}

void ProjectCounters::count(CountedPlane plane, int status) const {
  std::atomic<Line*>& own = lines_[static_cast<size_t>(Cores::current())];
  Line* line = own.load(std::memory_order_relaxed);
  if (line == nullptr) {
    line = new Line();
    own.store(line, std::memory_order_release);
  }
  line->counts[placeOf(plane, status >= kFirstError)].fetch_add(1, std::memory_order_relaxed);
}

ProjectCounters::Count ProjectCounters::of(CountedPlane plane) const {
  Count sum;
  for (size_t i = 0; i < cores_; ++i) {
    const Line* line = lines_[i].load(std::memory_order_acquire);
    if (line == nullptr) continue;
    sum.ok += line->counts[placeOf(plane, false)].load(std::memory_order_relaxed);
    sum.error += line->counts[placeOf(plane, true)].load(std::memory_order_relaxed);
  }
  return sum;
}

Task<std::shared_ptr<const void>> RequestCounters::load(snapshot::ProjectInfo project) {
  const std::lock_guard lock(mutex_);
  auto& known = known_[project.number];
  std::shared_ptr<const ProjectCounters> counters = known.lock();
  if (!counters) {
    counters = std::make_shared<const ProjectCounters>(cores_, clock_.now());
    known = counters;
  }
  if (known_.size() > pruneAt_) {
    std::erase_if(known_, [](const auto& entry) { return entry.second.expired(); });
    pruneAt_ = std::max(pruneAt_, 2 * known_.size());
  }
  co_return std::shared_ptr<const void>(std::move(counters));
}

void MetricsRoutes::addTo(RouteTable& routes) {
  routes.get("/api/v1/admin/metrics", admin("ops:read"), this, &MetricsRoutes::metrics, "Requests by plane");
  routes.get("/api/v1/admin/usage", admin("ops:read"), this, &MetricsRoutes::usage, "Usage of the plan");
}

Task<Reply> MetricsRoutes::metrics(RequestContext& context) {
  const ProjectCounters& counters = context.project->get(counters_);
  doc::BsonWriter out;
  out.appendDate("since", counters.since());
  out.beginDocument("planes");
  for (size_t i = 0; i < kCountedPlanes.size(); ++i) {
    const ProjectCounters::Count count = counters.of(static_cast<CountedPlane>(i));
    out.beginDocument(kCountedPlanes[i]);
    out.appendInteger("ok", static_cast<int64_t>(count.ok));
    out.appendInteger("error", static_cast<int64_t>(count.error));
    out.end();
  }
  out.end();
  co_return Reply::object(200, out.finish());
}

Task<Reply> MetricsRoutes::usage(RequestContext& context) {
  if (overview_ != nullptr) {
    CO_TRY(const billing::UsageView usage, co_await overview_->usageOf(context.project, plan_));
    co_return Reply::object(200, usage);
  }
  doc::BsonWriter out;
  for (const std::string_view field : {"plan", "limits", "usage"}) out.appendNull(field);
  co_return Reply::object(200, out.finish());
}

}  // namespace mb::api
