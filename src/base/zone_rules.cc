// TZif files: RFC 8536, version 2 and later (all that current systems have).
#include <algorithm>
#include <charconv>
#include <chrono>

#include "base/time_zone.h"

namespace mb {
namespace {

using std::chrono::days;
using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr size_t kHeaderBytes = 44;
constexpr int64_t kDay = 86'400;

template <class T>
T bigEndian(std::string_view bytes, size_t offset) {
  uint64_t value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) value = value << 8 | static_cast<unsigned char>(bytes[offset + i]);
  return static_cast<T>(value);
}

struct Header {
  size_t utIndicators, standardIndicators, leaps, times, types, characters;
  // The size of the block that follows, with times of `width` bytes.
  size_t blockBytes(size_t width) const {
    return times * width + times + types * 6 + characters + leaps * (width + 4) + standardIndicators + utIndicators;
  }
};

std::optional<Header> readHeader(std::string_view bytes) {
  if (bytes.size() < kHeaderBytes || !bytes.starts_with("TZif") || bytes[4] < '2') return std::nullopt;
  const auto count = [&](size_t index) { return size_t{bigEndian<uint32_t>(bytes, 20 + 4 * index)}; };
  const Header header{count(0), count(1), count(2), count(3), count(4), count(5)};
  for (const size_t n :
       {header.utIndicators, header.standardIndicators, header.leaps, header.times, header.types, header.characters}) {
    if (n > 10'000) return std::nullopt;
  }
  return header;
}

bool eat(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

bool eatNumber(std::string_view& text, int& out, int max) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (failure != std::errc{} || out < 0 || out > max) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

// "EST" or "<+03>"
bool eatName(std::string_view& text) {
  const bool quoted = eat(text, '<');
  size_t length = 0;
  const auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  while (length < text.size() && (quoted ? text[length] != '>' : isLetter(text[length]))) ++length;
  text.remove_prefix(length);
  return length >= 1 && (!quoted || eat(text, '>'));
}

// "[+-]hh[:mm[:ss]]" in seconds
bool eatTime(std::string_view& text, int32_t& seconds) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  int hours = 0;
  int minutes = 0;
  int rest = 0;
  if (!eatNumber(text, hours, 167)) return false;
  if (eat(text, ':') && !eatNumber(text, minutes, 59)) return false;
  if (eat(text, ':') && !eatNumber(text, rest, 59)) return false;
  seconds = hours * 3600 + minutes * 60 + rest;
  if (negative) seconds = -seconds;
  return true;
}

}  // namespace

std::optional<ZoneRules> ZoneRules::parse(std::string_view bytes) {
  const auto first = readHeader(bytes);
  if (!first || bytes.size() < kHeaderBytes + first->blockBytes(4)) return std::nullopt;
  bytes.remove_prefix(kHeaderBytes + first->blockBytes(4));
  const auto header = readHeader(bytes);
  if (!header || header->types == 0 || bytes.size() < kHeaderBytes + header->blockBytes(8)) return std::nullopt;
  const size_t times = kHeaderBytes;
  const size_t indexes = times + header->times * 8;
  const size_t types = indexes + header->times;

  ZoneRules rules;
  const auto offsetOf = [&](size_t type) { return bigEndian<int32_t>(bytes, types + type * 6); };
  rules.before_ = offsetOf(0);
  for (size_t i = 0; i < header->times; ++i) {
    const auto type = static_cast<unsigned char>(bytes[indexes + i]);
    if (type >= header->types) return std::nullopt;
    rules.times_.push_back(bigEndian<int64_t>(bytes, times + i * 8));
    rules.offsets_.push_back(offsetOf(type));
  }
  if (!std::ranges::is_sorted(rules.times_)) return std::nullopt;
  std::string_view footer = bytes.substr(kHeaderBytes + header->blockBytes(8));
  if (footer.size() > 2 && footer.front() == '\n' && footer.back() == '\n') {
    rules.footer_ = parseFooter(footer.substr(1, footer.size() - 2));
  }
  return rules;
}

int32_t ZoneRules::offsetAt(int64_t unixSeconds) const {
  const auto next = std::ranges::upper_bound(times_, unixSeconds);
  if (next == times_.end() && footer_) return footerOffset(*footer_, unixSeconds);
  if (next == times_.begin()) return before_;
  return offsets_[static_cast<size_t>(next - times_.begin()) - 1];
}

// "EST5EDT,M3.2.0,M11.1.0": the sign of offsets is west of UTC.
std::optional<ZoneRules::Footer> ZoneRules::parseFooter(std::string_view text) {
  Footer footer;
  int32_t west = 0;
  if (!eatName(text) || !eatTime(text, west)) return std::nullopt;
  footer.standard = -west;
  if (text.empty()) return footer;
  if (!eatName(text)) return std::nullopt;
  footer.daylight = footer.standard + 3600;
  if (!text.starts_with(',')) {
    if (!eatTime(text, west)) return std::nullopt;
    footer.daylight = -west;
  }
  if (!parseChange(text, footer.begin) || !parseChange(text, footer.end) || !text.empty()) return std::nullopt;
  return footer;
}

bool ZoneRules::parseChange(std::string_view& text, Change& change) {
  if (!eat(text, ',')) return false;
  if (eat(text, 'M')) {
    change.form = Change::Form::weekday;
    if (!eatNumber(text, change.month, 12) || !eat(text, '.') || !eatNumber(text, change.week, 5)) return false;
    if (!eat(text, '.') || !eatNumber(text, change.day, 6) || change.month == 0 || change.week == 0) return false;
  } else {
    change.form = eat(text, 'J') ? Change::Form::julian : Change::Form::zeroBased;
    if (!eatNumber(text, change.day, 365)) return false;
  }
  return !eat(text, '/') || eatTime(text, change.seconds);
}

// The local second of the change, counted from the beginning of the year.
int64_t ZoneRules::secondOfYear(const Change& change, int year) {
  const std::chrono::year y(year);
  if (change.form == Change::Form::zeroBased) return change.day * kDay + change.seconds;
  if (change.form == Change::Form::julian) {
    const bool pastLeapDay = y.is_leap() && change.day >= 60;
    return (change.day - 1 + (pastLeapDay ? 1 : 0)) * kDay + change.seconds;
  }
  const std::chrono::month month(static_cast<unsigned>(change.month));
  const std::chrono::weekday weekday(static_cast<unsigned>(change.day));
  const sys_days day = change.week == 5 ? sys_days(y / month / weekday[std::chrono::last])
                                        : sys_days(y / month / weekday[static_cast<unsigned>(change.week)]);
  return (day - sys_days(y / std::chrono::January / 1)).count() * kDay + change.seconds;
}

int32_t ZoneRules::footerOffset(const Footer& footer, int64_t unixSeconds) {
  if (!footer.daylight) return footer.standard;
  // The year is that of local standard time; changes are never so close to its end that this matters.
  const auto local = std::chrono::sys_seconds(std::chrono::seconds(unixSeconds + footer.standard));
  const year_month_day date(std::chrono::floor<days>(local));
  const int64_t yearBegin = sys_days(date.year() / std::chrono::January / 1).time_since_epoch().count() * kDay;
  const int64_t second = unixSeconds - yearBegin;
  const int year = static_cast<int>(date.year());
  const int64_t begin = secondOfYear(footer.begin, year) - footer.standard;
  const int64_t end = secondOfYear(footer.end, year) - *footer.daylight;
  const bool daylight = begin < end ? second >= begin && second < end : second >= begin || second < end;
  return daylight ? *footer.daylight : footer.standard;
}

}  // namespace mb
