// What a project uses of its plan.
#pragma once

#include "base/task.h"
#include "plans/plans.h"
#include "projects/project_types.h"

namespace mb::billing {

using plans::ProjectUsage;

class Meters {
 public:
  virtual ~Meters() = default;
  // None is below 0. Any core.
  virtual Task<ProjectUsage> of(projects::ProjectRecord project) = 0;
  // The same for projects of one organization: those of `all`, which are all of it that are not deleted.
  virtual Task<std::vector<ProjectUsage>> ofAll(std::vector<projects::ProjectRecord> all) = 0;
};

}  // namespace mb::billing
