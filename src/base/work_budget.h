// A WorkBudget bounds the CPU work of one uninterrupted stretch on a thread. Matching, validating and sorting charge
// their work and stop once the budget is used up. A unit is about a nanosecond.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/error.h"

namespace mb {

// The work that a request may do on a core, or under locks, before it must yield.
inline constexpr int64_t kCoreWork = 5'000'000;

// Lives on the stack and never across a co_await: all that its thread charges during its life counts against it and
// against the enclosing budgets. The owner calls check() before it uses a result, since work that ran out of budget
// returns a partial one.
class WorkBudget {
 public:
  explicit WorkBudget(int64_t units) : outer_(left_), given_(std::min(units, left_)) { left_ = given_; }
  ~WorkBudget() { left_ = outer_ - (given_ - left_); }
  WorkBudget(const WorkBudget&) = delete;
  WorkBudget& operator=(const WorkBudget&) = delete;

  int64_t spent() const { return given_ - left_; }
  // Fails with queryTooCostly if more was charged than the budget allows.
  Result<> check() const;

  // False once the innermost budget of this thread is used up; always true without one.
  static bool charge(int64_t units) {
    left_ -= units;
    return left_ >= 0;
  }
  static bool exceeded() { return left_ < 0; }
  static bool affords(int64_t units) { return left_ >= units; }
  static int64_t left() { return left_; }
  static bool isLimited() { return left_ < kUnlimited / 2; }
  // Uses up the rest: for work that is refused before it starts.
  static void exhaust() {
    if (isLimited() && left_ >= 0) left_ = -1;
  }

 private:
  // The charges of threads without a budget never add up to half of this.
  static constexpr int64_t kUnlimited = INT64_MAX / 2;
  static inline constinit thread_local int64_t left_ = kUnlimited;

  const int64_t outer_;
  const int64_t given_;
};

std::unexpected<Error> tooCostly();

}  // namespace mb
