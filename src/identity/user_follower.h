// UserFollower adds jobs to the commit that creates an end user of a project. Implemented by functions/.
#pragma once

#include <string>
#include <vector>

#include "base/task.h"
#include "identity/user_types.h"
#include "store/write.h"

namespace mb::identity {

class UserFollower {
 public:
  virtual ~UserFollower() = default;
  // Called before the commit that creates `user`: the jobs to insert with it. Any core.
  virtual Task<std::vector<store::Insert>> userCreated(store::ProjectNo project, UserRecord user) = 0;
  // Called after the commit, with the ids of these jobs. Any core.
  virtual void committed(std::vector<std::string> jobs) = 0;
};

}  // namespace mb::identity
