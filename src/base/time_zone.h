// Time zones: "UTC", "+05:30", or a name in the system's IANA database.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mb {

// Loads the zones of the system, once. Blocks, so not on a core. The other functions load them if this was not called.
void loadTimeZones();

// Seconds east of UTC at `unixSeconds`; nullopt for an unknown zone. Any thread.
std::optional<int32_t> zoneOffset(std::string_view zone, int64_t unixSeconds);

class ZoneRules;

// A zone of the system's database. Any thread; cheap to copy, as zones stay loaded.
class TimeZone {
 public:
  // "Europe/Zurich"; nullopt for a name that the database does not have, and for offsets such as "+05:30".
  static std::optional<TimeZone> find(std::string_view name);

  // Seconds east of UTC.
  int32_t offsetAt(int64_t unixSeconds) const;
  // The first moment, in Unix seconds, at which clocks of the zone show `localSeconds` or more (what they show, read as
  // if it was UTC): the earlier one of a time that occurs twice, and for a skipped time the moment of the change.
  int64_t momentOf(int64_t localSeconds) const;

 private:
  explicit TimeZone(const ZoneRules& rules) : rules_(&rules) {}
  const ZoneRules* rules_;
};

// The rules of a zone in a TZif file (RFC 8536).
class ZoneRules {
 public:
  // nullopt if `bytes` is not a valid file.
  static std::optional<ZoneRules> parse(std::string_view bytes);
  int32_t offsetAt(int64_t unixSeconds) const;

 private:
  // "the last Sunday of March at 02:00": the start or the end of daylight saving in each year.
  struct Change {
    enum class Form {
      julian,     // day 1 to 365, 29 February never counted
      zeroBased,  // day 0 to 365
      weekday
    } form = Form::weekday;
    int month = 0;
    int week = 0;
    int day = 0;
    int32_t seconds = 7200;
  };
  // The rule at the end of the file, for times after its last transition (a POSIX TZ string).
  struct Footer {
    int32_t standard = 0;
    std::optional<int32_t> daylight;
    Change begin;
    Change end;
  };
  static std::optional<Footer> parseFooter(std::string_view text);
  static bool parseChange(std::string_view& text, Change& change);
  static int64_t secondOfYear(const Change& change, int year);
  static int32_t footerOffset(const Footer& footer, int64_t unixSeconds);

  std::vector<int64_t> times_;    // ascending
  std::vector<int32_t> offsets_;  // from times_[i] on
  int32_t before_ = 0;            // before the first
  std::optional<Footer> footer_;
};

}  // namespace mb
