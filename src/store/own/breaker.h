// Decides whether calls to a database that has failed are tried.
#pragma once

#include <chrono>
#include <deque>
#include <mutex>

namespace mb::store::own {

inline constexpr size_t kFailures = 5;  // within kFailureWindow open it
inline constexpr std::chrono::seconds kFailureWindow{10};
inline constexpr std::chrono::seconds kTrialInterval{5};

// Thread-safe. Closed at first.
class Breaker {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Whether a call may be made. While open: one call every kTrialInterval, whose success closes it.
  bool admits(Time now);
  // Whether it is open, so that a connection must be tried before it is used.
  bool isOpen() const;
  void fail(Time now);
  void succeed();

 private:
  mutable std::mutex mutex_;
  std::deque<Time> failures_;  // at most kFailures, those of the window
  bool open_ = false;
  Time nextTrial_;  // while open
};

}  // namespace mb::store::own
