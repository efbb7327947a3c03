// A CronSchedule is a schedule of five fields, as in crontab(5), or one of four names, in UTC or the time of a zone.
//
//   minute 0-59, hour 0-23, day of the month 1-31, month 1-12 or jan-dec, day of the week 0-7 or sun-sat (0 and 7 are
//   Sunday); each "*", a number, a range "a-b", with a step "a-b/n" or "*/n", or a list of these. If neither day field
//   begins with "*", one of them must match.
//   @hourly @daily @weekly @monthly
//
// A local time that the zone skips fires at the moment of the change, together with others skipped then. One that
// occurs twice fires the first time only.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"
#include "base/time_zone.h"

namespace mb::functions {

class CronSchedule {
 public:
  // Fails with validation, the message naming the field; also for a date that never occurs (30 February).
  // Without a zone: in UTC.
  static Result<CronSchedule> parse(std::string_view text, std::optional<TimeZone> zone = std::nullopt);
  // The first fire after `after`, always on a whole minute. A parsed schedule always has one.
  Timestamp next(Timestamp after) const;
  // The last fire within [from, to]; nullopt if none is.
  std::optional<Timestamp> last(Timestamp from, Timestamp to) const;

 private:
  CronSchedule() = default;
  // The first time after `after` that matches, both as clocks show it.
  std::optional<Timestamp> search(Timestamp after) const;
  bool dayMatches(int year, int month, int day) const;

  uint64_t minutes_ = 0;  // by bit
  uint32_t hours_ = 0;
  uint32_t days_ = 0;
  uint32_t months_ = 0;
  uint32_t weekdays_ = 0;
  bool anyDay_ = false;  // the field begins with "*"
  bool anyWeekday_ = false;
  std::optional<TimeZone> zone_;
};

}  // namespace mb::functions
