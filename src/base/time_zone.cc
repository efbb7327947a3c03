#include "base/time_zone.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

namespace mb {
namespace {

constexpr std::string_view kDirectory = "/usr/share/zoneinfo/";
constexpr size_t kMaxFileBytes = 64 * 1024;
constexpr int64_t kDaySeconds = 86'400;

std::optional<int> twoDigits(std::string_view text) {
  int value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.size() != 2 || failure != std::errc{} || end != text.data() + 2 || value < 0) return std::nullopt;
  return value;
}

// "+05:30", "-02:30", "02:00"
std::optional<int32_t> fixedOffset(std::string_view zone) {
  const bool west = zone.starts_with('-');
  if (west || zone.starts_with('+')) zone.remove_prefix(1);
  if (zone.size() != 5 || zone[2] != ':') return std::nullopt;
  const auto hours = twoDigits(zone.substr(0, 2));
  const auto minutes = twoDigits(zone.substr(3));
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  const int32_t offset = (*hours * 60 + *minutes) * 60;
  return west ? -offset : offset;
}

// Whether `zone` has the form of a zone name.
bool isZoneName(std::string_view zone) {
  if (zone.empty() || zone.size() > 64 || !((zone[0] >= 'A' && zone[0] <= 'Z') || (zone[0] >= 'a' && zone[0] <= 'z'))) {
    return false;
  }
  return std::ranges::all_of(zone, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '+' || c == '/';
  });
}

std::optional<ZoneRules> readZone(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(kMaxFileBytes, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return ZoneRules::parse(bytes);
}

// Zones by name. Loaded at once, as an expression may take a name from a document: an unknown name causes no disk
// access.
using Zones = std::map<std::string, ZoneRules, std::less<>>;

Zones readZones() {
  namespace fs = std::filesystem;
  Zones zones;
  std::error_code failure;
  for (fs::recursive_directory_iterator entry(kDirectory, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string name = entry->path().lexically_relative(kDirectory).string();
    // Other trees of the database: the same zones with and without leap seconds.
    if (name == "right" || name == "posix") entry.disable_recursion_pending();
    std::error_code unreadable;
    if (!isZoneName(name) || !entry->is_regular_file(unreadable)) continue;
    if (auto rules = readZone(entry->path())) zones.emplace(name, *std::move(rules));
  }
  return zones;
}

const Zones& zones() {
  static const Zones kZones = readZones();
  return kZones;
}

}  // namespace

void loadTimeZones() {
  zones();
}

std::optional<int32_t> zoneOffset(std::string_view zone, int64_t unixSeconds) {
  if (zone == "UTC") return 0;
  if (const auto fixed = fixedOffset(zone)) return fixed;
  const auto found = zones().find(zone);
  if (found == zones().end()) return std::nullopt;
  return found->second.offsetAt(unixSeconds);
}

std::optional<TimeZone> TimeZone::find(std::string_view name) {
  static const ZoneRules kUtc;
  // Also on a system without the database.
  if (name == "UTC") return TimeZone(kUtc);
  const auto found = zones().find(name);
  if (found == zones().end()) return std::nullopt;
  return TimeZone(found->second);
}

int32_t TimeZone::offsetAt(int64_t unixSeconds) const {
  return rules_->offsetAt(unixSeconds);
}

int64_t TimeZone::momentOf(int64_t localSeconds) const {
  // No zone is a day or more away from UTC.
  const int32_t before = offsetAt(localSeconds - kDaySeconds);
  const int32_t after = offsetAt(localSeconds + kDaySeconds);
  const int64_t early = localSeconds - std::max(before, after);
  const int64_t late = localSeconds - std::min(before, after);
  if (early + offsetAt(early) == localSeconds) return early;
  if (late + offsetAt(late) == localSeconds) return late;
  // Skipped: clocks are put forward after `early`, at `late` or before.
  int64_t low = early;
  int64_t high = late;
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    (middle + offsetAt(middle) < localSeconds ? low : high) = middle;
  }
  return high;
}

}  // namespace mb
