// What else follows from a new end user of a project, in the same commit. Implemented by functions/.
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
  // Before the commit that creates `user`: the jobs to insert with it. Any core.
  virtual Task<std::vector<store::Insert>> userCreated(store::ProjectNo project, UserRecord user) = 0;
  // These were committed just now. Any core.
  virtual void committed(std::vector<std::string> jobs) = 0;
};

}  // namespace mb::identity
