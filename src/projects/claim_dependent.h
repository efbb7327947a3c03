// What depends on the claims of a project's tokens, such as policies. Declared here, where the setting tokenClaims is
// changed; implemented by modules above.
#pragma once

#include <string>
#include <vector>

#include "base/task.h"
#include "snapshot/snapshot.h"

namespace mb::projects {

class ClaimDependent {
 public:
  virtual ~ClaimDependent() = default;
  // Called before these claims are removed from the setting. Fails with conflict, naming what uses one. What is saved
  // at the same moment may be missed: its claim then has no value, which denies. Any core.
  virtual Task<> mayRemoveClaims(snapshot::SnapshotPtr project, std::vector<std::string> claims) = 0;
};

}  // namespace mb::projects
