// The counts of a project in a span of time, and their records in the store.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "api/metrics.h"
#include "document/shape.h"
#include "store/store.h"

namespace mb::api {

// Numbers 160 to 169 of the system collections belong to this module.
inline constexpr store::CollectionNo kMetricHours = 160;   // of each project; a ring of kStoredHours
inline constexpr store::CollectionNo kCountedHours = 161;  // in the control project; a ring of kStoredHours
std::vector<store::SystemCollection> systemCollections();

inline constexpr int64_t kMinuteMs = 60'000;
inline constexpr int64_t kQuarterMs = 15 * kMinuteMs;
inline constexpr int64_t kHourMs = 4 * kQuarterMs;
inline constexpr int64_t kQuartersPerHour = 4;
// More than a week, so that an hour is never replaced while a series shows it.
inline constexpr int64_t kStoredHours = 192;

struct MetricPoint {
  std::array<uint32_t, kRequestCounts> requests{};  // ok and error of each of kCountedPlanes
  uint32_t sockets = 0;                             // the most that were open at a reading
  uint32_t runs = 0;                                // of functions that ended

  void add(const MetricPoint& other);
  bool operator==(const MetricPoint&) const = default;
};
using MetricPoints = std::map<int64_t, MetricPoint>;  // by minute or quarter since 1970

struct StoredQuarter {
  int64_t quarter = 0;  // of the hour, from 0 on
  std::vector<int64_t> requests;
  int64_t sockets = 0;
  int64_t runs = 0;
  static constexpr auto shape() {
    return doc::shape<StoredQuarter>("MetricQuarter", doc::field("quarter", &StoredQuarter::quarter),
                                     doc::field("requests", &StoredQuarter::requests),
                                     doc::field("sockets", &StoredQuarter::sockets),
                                     doc::field("runs", &StoredQuarter::runs));
  }
};

// Quarters in which nothing was counted are absent.
struct MetricHour {
  std::string id;    // hourId()
  int64_t hour = 0;  // since 1970
  std::vector<StoredQuarter> quarters;
  static constexpr auto shape() {
    return doc::shape<MetricHour>("MetricHour", doc::field("id", &MetricHour::id),
                                  doc::field("hour", &MetricHour::hour), doc::field("quarters", &MetricHour::quarters));
  }
};

// The quarters of an hour in which a server counted, whose counts are stored.
struct CountedHour {
  std::string id;  // hourId()
  int64_t hour = 0;
  int64_t quarters = 0;  // a bit each
  static constexpr auto shape() {
    return doc::shape<CountedHour>("CountedHour", doc::field("id", &CountedHour::id),
                                   doc::field("hour", &CountedHour::hour),
                                   doc::field("quarters", &CountedHour::quarters));
  }
};

// The place of an hour in its ring.
std::string hourId(int64_t hour);
// Adds the quarters of the stored hour; nothing where the record is of an earlier round of the ring.
void addStored(MetricPoints& quarters, const MetricHour& stored, int64_t hour);
// The record of an hour with the points of `quarters` that are in it.
MetricHour storedHour(int64_t hour, const MetricPoints& quarters);

}  // namespace mb::api
