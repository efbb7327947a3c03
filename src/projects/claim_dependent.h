// What depends on the claims of a project's tokens, such as policies. Declared here, where the setting tokenClaims is
// changed; implemented by modules above.
#pragma once

#include <string>
#include <vector>

#include "base/task.h"
#include "snapshot/snapshot.h"

namespace mb::projects {

// A use of a claim, by its entry in the project's configuration.
struct ClaimUse {
  std::string section;  // "collections"
  std::string name;     // of the entry
  std::string field;    // of the entry: "policy"
  std::string text;     // "the policy of "posts" uses the claim "plan""
};

class ClaimDependent {
 public:
  virtual ~ClaimDependent() = default;
  // What uses these claims, which are to be removed from the setting. What is saved at the same moment may be missed:
  // its claim then has no value, which denies. Any core.
  virtual Task<std::vector<ClaimUse>> claimUses(snapshot::SnapshotPtr project, std::vector<std::string> claims) = 0;
};

}  // namespace mb::projects
