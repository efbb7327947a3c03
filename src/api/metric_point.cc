#include "api/metric_point.h"

#include <algorithm>

namespace mb::api {

std::vector<store::SystemCollection> systemCollections() {
  return {{kMetricHours, "__metricHours", {}}, {kCountedHours, "__countedHours", {}}};
}

void MetricPoint::add(const MetricPoint& other) {
  for (size_t i = 0; i < requests.size(); ++i) requests[i] += other.requests[i];
  sockets = std::max(sockets, other.sockets);
  runs += other.runs;
}

std::string hourId(int64_t hour) {
  return fmt::format("{:03}", hour % kStoredHours);
}

void addStored(MetricPoints& quarters, const MetricHour& stored, int64_t hour) {
  if (stored.hour != hour) return;
  for (const StoredQuarter& each : stored.quarters) {
    MetricPoint point;
    const size_t count = std::min(point.requests.size(), each.requests.size());
    for (size_t i = 0; i < count; ++i) point.requests[i] = static_cast<uint32_t>(each.requests[i]);
    point.sockets = static_cast<uint32_t>(each.sockets);
    point.runs = static_cast<uint32_t>(each.runs);
    quarters[hour * kQuartersPerHour + each.quarter].add(point);
  }
}

MetricHour storedHour(int64_t hour, const MetricPoints& quarters) {
  MetricHour record{hourId(hour), hour, {}};
  const int64_t first = hour * kQuartersPerHour;
  for (auto at = quarters.lower_bound(first); at != quarters.end() && at->first < first + kQuartersPerHour; ++at) {
    const MetricPoint& point = at->second;
    record.quarters.push_back(
        {at->first - first, {point.requests.begin(), point.requests.end()}, point.sockets, point.runs});
  }
  return record;
}

}  // namespace mb::api
