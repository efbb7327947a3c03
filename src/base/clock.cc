#include "base/clock.h"

#include <chrono>

namespace mb {

namespace {

constexpr int64_t kDayMs = 86'400'000;
constexpr int64_t kMinMs = -62'167'219'200'000;  // 0000-01-01T00:00:00.000Z
constexpr int64_t kMaxMs = 253'402'300'799'999;  // 9999-12-31T23:59:59.999Z

void putDigits(char* at, int64_t value, int count) {
  for (int i = count - 1; i >= 0; --i) {
    at[i] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
}

// Reads exactly `count` digits; false otherwise.
bool takeDigits(std::string_view text, size_t& at, int count, int& out) {
  if (at + static_cast<size_t>(count) > text.size()) return false;
  out = 0;
  for (int i = 0; i < count; ++i, ++at) {
    if (text[at] < '0' || text[at] > '9') return false;
    out = out * 10 + (text[at] - '0');
  }
  return true;
}

bool takeChar(std::string_view text, size_t& at, char wanted) {
  if (at >= text.size() || text[at] != wanted) return false;
  ++at;
  return true;
}

// "Z", "z" or "+hh:mm"; minutes east of UTC.
bool takeOffset(std::string_view text, size_t& at, int& minutes) {
  minutes = 0;
  if (at >= text.size()) return false;
  const char sign = text[at++];
  if (sign == 'Z' || sign == 'z') return true;
  if (sign != '+' && sign != '-') return false;
  int hours = 0;
  int rest = 0;
  if (!takeDigits(text, at, 2, hours) || !takeChar(text, at, ':') || !takeDigits(text, at, 2, rest)) return false;
  if (hours > 23 || rest > 59) return false;
  minutes = (hours * 60 + rest) * (sign == '-' ? -1 : 1);
  return true;
}

}  // namespace

Timestamp SystemClock::now() const {
  using std::chrono::duration_cast, std::chrono::milliseconds, std::chrono::system_clock;
  return {duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count()};
}

void appendRfc3339(std::string& out, Timestamp time) {
  const int64_t ms = std::clamp(time.ms, kMinMs, kMaxMs);
  const int64_t days = (ms >= 0 ? ms : ms - (kDayMs - 1)) / kDayMs;
  const int64_t inDay = ms - days * kDayMs;
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{days}}};
  char text[] = "0000-00-00T00:00:00.000Z";
  putDigits(text, static_cast<int>(date.year()), 4);
  putDigits(text + 5, static_cast<unsigned>(date.month()), 2);
  putDigits(text + 8, static_cast<unsigned>(date.day()), 2);
  putDigits(text + 11, inDay / 3'600'000, 2);
  putDigits(text + 14, inDay / 60'000 % 60, 2);
  putDigits(text + 17, inDay / 1000 % 60, 2);
  putDigits(text + 20, inDay % 1000, 3);
  out.append(text, sizeof text - 1);
}

std::string toRfc3339(Timestamp time) {
  std::string out;
  appendRfc3339(out, time);
  return out;
}

std::optional<Timestamp> parseRfc3339(std::string_view text) {
  size_t at = 0;
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  if (!takeDigits(text, at, 4, year) || !takeChar(text, at, '-') || !takeDigits(text, at, 2, month) ||
      !takeChar(text, at, '-') || !takeDigits(text, at, 2, day)) {
    return std::nullopt;
  }
  if (at >= text.size() || (text[at] != 'T' && text[at] != 't')) return std::nullopt;
  ++at;
  if (!takeDigits(text, at, 2, hour) || !takeChar(text, at, ':') || !takeDigits(text, at, 2, minute) ||
      !takeChar(text, at, ':') || !takeDigits(text, at, 2, second)) {
    return std::nullopt;
  }
  int64_t fraction = 0;
  if (at < text.size() && text[at] == '.') {
    ++at;
    int digits = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at, ++digits) {
      if (digits < 3) fraction = fraction * 10 + (text[at] - '0');
    }
    if (digits == 0 || digits > 9) return std::nullopt;
    for (; digits < 3; ++digits) fraction *= 10;
  }
  int offset = 0;
  if (!takeOffset(text, at, offset) || at != text.size()) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  // A leap second (60) is taken as the second after it, as POSIX time does.
  if (!date.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  const int64_t days = std::chrono::sys_days{date}.time_since_epoch().count();
  return Timestamp{days * kDayMs + ((hour * 60LL + minute - offset) * 60 + second) * 1000 + fraction};
}

}  // namespace mb
