// An UncountedWork excludes a stretch of work from the thread's WorkBudgets: that of a trace, which must not change
// what it traces.
#pragma once

#include "base/work_budget.h"

namespace mb {

// Lives on the stack and never across a co_await. The work during its life is bounded by `units` instead of the
// enclosing budgets, which are afterwards as they were before.
class UncountedWork {
 public:
  explicit UncountedWork(int64_t units) : outer_(WorkBudget::left()) { setLeft(units); }
  ~UncountedWork() { setLeft(outer_); }
  UncountedWork(const UncountedWork&) = delete;
  UncountedWork& operator=(const UncountedWork&) = delete;

 private:
  static void setLeft(int64_t units) { WorkBudget::charge(WorkBudget::left() - units); }
  const int64_t outer_;
};

}  // namespace mb
