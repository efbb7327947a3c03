// When a cron function fires: five fields in UTC, as crontab(5) reads them, and four names. Source: contract 2.11;
// decisions 5.
//
//   minute 0-59, hour 0-23, day of the month 1-31, month 1-12 or jan-dec, day of the week 0-7 or sun-sat (0 and 7 are
//   Sunday); each "*", a number, a range "a-b", with a step "a-b/n" or "*/n", or a list of these. Where neither day
//   field begins with "*", either may match.
//   @hourly @daily @weekly @monthly
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"

namespace mb::functions {

class CronSchedule {
 public:
  // Fails with validation, the message naming the field; also for what never comes (30 February).
  static Result<CronSchedule> parse(std::string_view text);
  // The first fire after `after`; always on a whole minute. Never nothing for a parsed schedule.
  Timestamp next(Timestamp after) const;
  // The last fire within [from, to]; nullopt where there is none.
  std::optional<Timestamp> last(Timestamp from, Timestamp to) const;

 private:
  CronSchedule() = default;
  std::optional<Timestamp> search(Timestamp after) const;
  bool dayMatches(int year, int month, int day) const;

  uint64_t minutes_ = 0;  // by bit
  uint32_t hours_ = 0;
  uint32_t days_ = 0;
  uint32_t months_ = 0;
  uint32_t weekdays_ = 0;
  bool anyDay_ = false;  // the field begins with "*"
  bool anyWeekday_ = false;
};

}  // namespace mb::functions
