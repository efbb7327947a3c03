// The plan in force of a platform user; implemented by billing, which is above this module.
#pragma once

#include <string>

#include "base/task.h"
#include "plans/plans.h"

namespace mb::projects {

// Any core.
class PlanLookup {
 public:
  virtual ~PlanLookup() = default;
  // Always as stored now, since a limit is checked against it.
  virtual Task<plans::PlanInForce> ofUser(std::string userId) = 0;
};

}  // namespace mb::projects
