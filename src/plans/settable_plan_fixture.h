// A plan whose limits a test sets. For the tests of modules that meet a limit.
#pragma once

#include <mutex>

#include "plans/plans.h"

namespace mb::plans {

class SettablePlan final : public snapshot::SlotSource {
 public:
  explicit SettablePlan(snapshot::Snapshots& snapshots) : slot(snapshots.addSlot<PlanInForce>(*this)) {
    plan_.slug = "tiny";
    plan_.name = "Tiny";
  }
  // Of the snapshots that are loaded from now on: bump the epoch of a project that has one.
  void set(Limit limit, std::optional<int64_t> max) {
    const std::scoped_lock lock(mutex_);
    plan_.limits.at(limit) = max;
  }
  // As without billing: the plan has no slug, and limits nothing.
  void endBilling() {
    const std::scoped_lock lock(mutex_);
    plan_ = {};
  }
  Task<std::shared_ptr<const void>> load(snapshot::ProjectInfo) override {
    co_return std::shared_ptr<const void>(std::make_shared<const PlanInForce>(now()));
  }

  const PlanSlot slot;

 private:
  PlanInForce now() const {
    const std::scoped_lock lock(mutex_);
    return plan_;
  }
  mutable std::mutex mutex_;
  PlanInForce plan_;
};

}  // namespace mb::plans
