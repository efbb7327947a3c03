#include "policy/cel/times.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <limits>

#include "policy/cel/run.h"

namespace mb::cel {
namespace {

constexpr const char* kTimestampRange = "timestamp out of range";
constexpr const char* kDurationRange = "duration out of range";

// Consumes digits of fixed width, and characters, from the front of a text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}
  bool done() const { return text_.empty(); }
  char peek() const { return text_.empty() ? '\0' : text_[0]; }
  bool eat(char c) {
    if (peek() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool eatEither(char a, char b) { return eat(a) || eat(b); }
  bool digits(size_t count, int& out) {
    if (text_.size() < count) return false;
    const auto [end, failure] = std::from_chars(text_.data(), text_.data() + count, out);
    if (failure != std::errc{} || end != text_.data() + count || text_[0] == '-') return false;
    text_.remove_prefix(count);
    return true;
  }
  // The digits of a fraction of a second, at least one, truncated to nanoseconds.
  bool fraction(int& nanos) {
    nanos = 0;
    const size_t before = text_.size();
    for (int scale = 100'000'000; peek() >= '0' && peek() <= '9'; scale /= 10) {
      nanos += (peek() - '0') * scale;
      text_.remove_prefix(1);
    }
    return text_.size() < before;
  }

 private:
  std::string_view text_;
};

std::optional<int> parseOffset(Scanner& in) {
  if (in.eatEither('Z', 'z')) return 0;
  const bool west = in.peek() == '-';
  int hours = 0;
  int minutes = 0;
  if (!in.eatEither('+', '-') || !in.digits(2, hours) || !in.eat(':') || !in.digits(2, minutes)) return std::nullopt;
  if (hours > 23 || minutes > 59) return std::nullopt;
  const int offset = (hours * 60 + minutes) * 60;
  return west ? -offset : offset;
}

struct Unit {
  std::string_view name;
  int64_t nanos;
};
// Longer names before their prefixes.
constexpr Unit kUnits[] = {
    {"ns", 1},
    {"us", 1'000},
    {"\u00B5s", 1'000},
    {"\u03BCs", 1'000},
    {"ms", 1'000'000},
    {"h", 3'600 * kNanosPerSecond},
    {"m", 60 * kNanosPerSecond},
    {"s", kNanosPerSecond},
};

const Unit* eatUnit(std::string_view& text) {
  for (const Unit& unit : kUnits) {
    if (!text.starts_with(unit.name)) continue;
    text.remove_prefix(unit.name.size());
    return &unit;
  }
  return nullptr;
}

// Consumes one part such as "1.5h" from the front of `text`; returns it as nanoseconds.
std::optional<__int128> parsePart(std::string_view& text) {
  constexpr __int128 kLimit = std::numeric_limits<int64_t>::max();
  __int128 whole = 0;
  __int128 fraction = 0;
  __int128 scale = 1;
  size_t count = 0;
  const auto digit = [&] { return !text.empty() && text[0] >= '0' && text[0] <= '9'; };
  for (; digit(); text.remove_prefix(1), ++count) {
    whole = whole * 10 + (text[0] - '0');
    if (whole > kLimit) return std::nullopt;
  }
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    for (; digit(); text.remove_prefix(1), ++count) {
      if (scale >= 1'000'000'000'000'000) continue;
      fraction = fraction * 10 + (text[0] - '0');
      scale *= 10;
    }
  }
  const Unit* unit = count > 0 ? eatUnit(text) : nullptr;
  if (unit == nullptr) return std::nullopt;
  return whole * unit->nanos + fraction * unit->nanos / scale;
}

Value timestampOrError(const Node& call, __int128 nanos) {
  const auto seconds = static_cast<int64_t>((nanos >= 0 ? nanos : nanos - (kNanosPerSecond - 1)) / kNanosPerSecond);
  if (seconds < kFirstSecond || seconds > kLastSecond) return Value::ofError(kTimestampRange, call.at);
  return Value::ofTimestamp(seconds, static_cast<int32_t>(nanos - static_cast<__int128>(seconds) * kNanosPerSecond));
}

Value durationOrError(const Node& call, __int128 nanos) {
  if (nanos > std::numeric_limits<int64_t>::max() || nanos < std::numeric_limits<int64_t>::min()) {
    return Value::ofError(kDurationRange, call.at);
  }
  return Value::ofDuration(static_cast<int64_t>(nanos));
}

// The nanoseconds of a timestamp since the epoch, or of a duration.
__int128 nanosOf(const Value& value) {
  if (value.kind == Kind::duration) return value.integer;
  return static_cast<__int128>(value.integer) * kNanosPerSecond + value.nanos;
}

// ".5", or nothing for zero.
std::string fractionText(int64_t nanos) {
  if (nanos == 0) return {};
  std::string text = fmt::format(".{:09}", nanos);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

}  // namespace

std::optional<Value> parseTimestamp(std::string_view text) {
  Scanner in(text);
  int year = 0;
  int month = 0;
  int day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int nanos = 0;
  if (!in.digits(4, year) || !in.eat('-') || !in.digits(2, month) || !in.eat('-') || !in.digits(2, day)) return {};
  if (!in.eatEither('T', 't') || !in.digits(2, hour) || !in.eat(':') || !in.digits(2, minute)) return {};
  if (!in.eat(':') || !in.digits(2, second)) return {};
  if (in.eat('.') && !in.fraction(nanos)) return {};
  const auto offset = parseOffset(in);
  const std::chrono::year_month_day date(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day)));
  if (!offset || !in.done() || !date.ok() || hour > 23 || minute > 59 || second > 59) return {};
  const int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const int64_t seconds = days * 86'400 + hour * 3'600 + minute * 60 + second - *offset;
  if (seconds < kFirstSecond || seconds > kLastSecond) return {};
  return Value::ofTimestamp(seconds, nanos);
}

std::string timestampText(const Value& timestamp) {
  const auto time = std::chrono::sys_seconds(std::chrono::seconds(timestamp.integer));
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count(), fractionText(timestamp.nanos));
}

std::optional<Value> parseDuration(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return Value::ofDuration(0);
  if (text.empty()) return std::nullopt;
  constexpr __int128 kLimit = std::numeric_limits<int64_t>::max();
  __int128 total = 0;
  while (!text.empty()) {
    const auto part = parsePart(text);
    if (!part) return std::nullopt;
    total += *part;
    if (total > kLimit) return std::nullopt;
  }
  return Value::ofDuration(static_cast<int64_t>(negative ? -total : total));
}

std::string durationText(const Value& duration) {
  const bool negative = duration.integer < 0;
  const uint64_t nanos =
      negative ? 0 - static_cast<uint64_t>(duration.integer) : static_cast<uint64_t>(duration.integer);
  return fmt::format("{}{}{}s", negative ? "-" : "", nanos / kNanosPerSecond,
                     fractionText(static_cast<int64_t>(nanos % kNanosPerSecond)));
}

Value addTimes(const Node& call, const Value& a, const Value& b) {
  if (a.kind == Kind::duration && b.kind == Kind::duration) return durationOrError(call, nanosOf(a) + nanosOf(b));
  const bool mixed = (a.kind == Kind::timestamp && b.kind == Kind::duration) ||
                     (a.kind == Kind::duration && b.kind == Kind::timestamp);
  return mixed ? timestampOrError(call, nanosOf(a) + nanosOf(b)) : noOverload(call);
}

Value subtractTimes(const Node& call, const Value& a, const Value& b) {
  if (a.kind == b.kind && (a.kind == Kind::timestamp || a.kind == Kind::duration)) {
    return durationOrError(call, nanosOf(a) - nanosOf(b));
  }
  if (a.kind == Kind::timestamp && b.kind == Kind::duration) return timestampOrError(call, nanosOf(a) - nanosOf(b));
  return noOverload(call);
}

}  // namespace mb::cel
