// Limits how slowly a client may send or receive a body: `idle` without a byte, and in total `idle` plus one second per
// `rate` bytes. Only waiting for the client counts. Times are ticks. Private to this module.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace mb::http {

class MinRateGuard {
 public:
  MinRateGuard(std::chrono::seconds idle, size_t rate) : idle_(idle.count()), rate_(static_cast<int64_t>(rate)) {}

  void passed(size_t bytes) { passed_ += static_cast<int64_t>(bytes); }
  // Begins a wait; returns the tick by which it must end.
  int64_t begin(int64_t tick) {
    if (!stalled_ || passed_ != passedThen_) {
      stalled_ = tick;
      passedThen_ = passed_;
    }
    began_ = tick;
    const int64_t left = idle_ + passed_ / rate_ - waited_;
    return std::min(*stalled_ + idle_, tick + left) + 1;  // the running tick may be nearly over
  }
  void end(int64_t tick) { waited_ += tick - began_; }

 private:
  int64_t idle_;
  int64_t rate_;
  int64_t passed_ = 0;
  int64_t waited_ = 0;
  int64_t began_ = 0;
  std::optional<int64_t> stalled_;  // since when nothing has passed
  int64_t passedThen_ = 0;
};

}  // namespace mb::http
