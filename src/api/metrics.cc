#include "api/metrics.h"

#include <algorithm>

#include "api/metric_series.h"
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
    : cores_(static_cast<size_t>(cores)), since_(since), lines_(new std::atomic<Line*>[cores_] {}), takenAt_(since) {}

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

ProjectCounters::Increase ProjectCounters::takeIncrease(Timestamp now) const {
  Increase increase{std::exchange(takenAt_, now), {}};
  std::array<uint64_t, kRequestCounts> counts{};
  for (size_t i = 0; i < cores_; ++i) {
    const Line* line = lines_[i].load(std::memory_order_acquire);
    if (line == nullptr) continue;
    for (size_t place = 0; place < kRequestCounts; ++place) {
      counts[place] += line->counts[place].load(std::memory_order_relaxed);
    }
  }
  for (size_t place = 0; place < kRequestCounts; ++place) {
    increase.requests[place] = static_cast<uint32_t>(counts[place] - taken_[place]);
  }
  taken_ = counts;
  return increase;
}

std::vector<std::pair<store::ProjectNo, std::shared_ptr<const ProjectCounters>>> RequestCounters::all() {
  std::vector<std::pair<store::ProjectNo, std::shared_ptr<const ProjectCounters>>> found;
  const std::lock_guard lock(mutex_);
  found.reserve(known_.size());
  for (const auto& [project, counters] : known_) {
    if (auto used = counters.lock()) found.emplace_back(project, std::move(used));
  }
  return found;
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
  routes.get("/api/v1/admin/metrics/series", admin("ops:read"), this, &MetricsRoutes::series,
             "Requests, sockets and function runs over time");
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

Task<Reply> MetricsRoutes::series(RequestContext& context) {
  CO_TRY(const http::QueryParams params, http::QueryParams::parse(context.request.query));
  const std::string_view name = params.get("window").value_or(kSeriesWindows.front().name);
  const auto window = std::ranges::find(kSeriesWindows, name, &SeriesWindow::name);
  if (window == kSeriesWindows.end()) co_return fail(ErrorCode::invalidParam, "window must be 1h, 24h or 7d");
  CO_TRY(const Series series,
         co_await series_.read(context.project->info().number, context.project->get(counters_), *window));
  doc::BsonWriter out;
  const auto append = [&](std::string_view key, auto valueOf) {
    out.beginArray(key);
    for (size_t i = 0; i < series.points.size(); ++i) {
      const std::optional<MetricPoint>& point = series.points[i];
      point ? out.appendInteger(doc::arrayKey(i), valueOf(*point)) : out.appendNull(doc::arrayKey(i));
    }
    out.end();
  };
  out.appendDate("from", series.from);
  out.appendInteger("stepSeconds", series.stepMs / 1000);
  out.beginDocument("planes");
  for (size_t i = 0; i < kCountedPlanes.size(); ++i) {
    const auto plane = static_cast<CountedPlane>(i);
    out.beginDocument(kCountedPlanes[i]);
    append("ok", [plane](const MetricPoint& point) { return point.requests[placeOf(plane, false)]; });
    append("error", [plane](const MetricPoint& point) { return point.requests[placeOf(plane, true)]; });
    out.end();
  }
  out.end();
  append("sockets", [](const MetricPoint& point) { return point.sockets; });
  append("functionRuns", [](const MetricPoint& point) { return point.runs; });
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
