// Time behind an interface, so that tests control it.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mb {

// Milliseconds since the Unix epoch, UTC.
struct Timestamp {
  int64_t ms = 0;
  auto operator<=>(const Timestamp&) const = default;
};

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Timestamp now() const = 0;
};

class SystemClock final : public Clock {
 public:
  Timestamp now() const override;
};

class ManualClock final : public Clock {
 public:
  explicit ManualClock(int64_t ms) : ms_(ms) {}
  Timestamp now() const override { return {ms_.load()}; }
  void advance(int64_t ms) { ms_ += ms; }
  void set(int64_t ms) { ms_ = ms; }

 private:
  std::atomic<int64_t> ms_;
};

// "2026-01-31T09:30:00.000Z"; years 0000 to 9999 (others are clamped). appendRfc3339 adds to `out`.
std::string toRfc3339(Timestamp time);
void appendRfc3339(std::string& out, Timestamp time);
// RFC 3339 with any offset and 0 to 9 fraction digits (truncated to milliseconds); nullopt for anything else.
std::optional<Timestamp> parseRfc3339(std::string_view text);

}  // namespace mb
