// Tells caches that a session may have ended, without a trip to the store: a small table of counters by session id.
// Ends are noted when they are durable and before they are answered, so no request after the answer relies on the
// session. It stands beside the project's epoch, which would reload the whole configuration for each logout. Private to
// identity/.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string_view>

namespace mb::identity {

// Begun before the session is read; from the first change on what was read is to be read again. Outlived by the table.
class SessionWatch {
 public:
  SessionWatch() = default;  // of no session: never changes
  explicit SessionWatch(const std::atomic<uint32_t>& counter)
      : counter_(&counter), seen_(counter.load(std::memory_order_acquire)) {}
  bool changed() const { return counter_ != nullptr && counter_->load(std::memory_order_acquire) != seen_; }

 private:
  const std::atomic<uint32_t>* counter_ = nullptr;
  uint32_t seen_ = 0;
};

// Any thread. Sessions that share a counter disturb each other by two reads, no more.
class SessionEnds {
 public:
  SessionWatch watch(std::string_view session) const { return SessionWatch(counters_[slot(session)]); }
  void note(std::string_view session) { counters_[slot(session)].fetch_add(1, std::memory_order_release); }

 private:
  static constexpr size_t kCounters = 4096;
  static size_t slot(std::string_view session) { return std::hash<std::string_view>()(session) % kCounters; }

  std::array<std::atomic<uint32_t>, kCounters> counters_{};
};

}  // namespace mb::identity
