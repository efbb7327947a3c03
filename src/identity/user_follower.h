// What else follows from a new end user of a project, in the same commit. Implemented by functions/.
#pragma once

#include "identity/user_types.h"
#include "jobs/jobs.h"

namespace mb::identity {

class UserFollower {
 public:
  virtual ~UserFollower() = default;
  // Before the commit in which `user` comes to be, whoever makes them: the jobs that go along. Any core.
  virtual Task<jobs::JobChanges> userCreated(store::ProjectNo project, UserRecord user) = 0;
  // These were committed just now. Any core.
  virtual void committed(std::vector<std::string> jobs) = 0;
};

}  // namespace mb::identity
