// Copies a project's configuration (collections, policies, roles, …; never data, never secrets) into another project of
// its family. Declared here, where environments are created and promoted; implemented by configuration/.
#pragma once

#include <string>
#include <vector>

#include "document/bson.h"
#include "policy/caller.h"
#include "snapshot/snapshot.h"

namespace mb::projects {

// Options of an import or a promotion.
struct ImportMode {
  bool dryRun = false;     // plan without applying
  std::string planDigest;  // apply only the plan with this digest; "" for any
  // Accept names of variables that have no value in the project; otherwise they are problems.
  bool allowMissing = false;
  bool skipTests = false;  // apply it whatever the stored tests say
};

class ConfigurationCopier {
 public:
  virtual ~ConfigurationCopier() = default;

  // One of the two sides. `caller` has the permissions of the calling Owner's role in that project.
  struct Side {
    snapshot::SnapshotPtr project;
    policy::Caller caller;
  };

  // Copies the configuration of `from` into the new, empty `to` and returns a warning, fit for a response, for each
  // part that failed. Fails only where no result can be returned (unavailable, internal).
  virtual Task<std::vector<std::string>> clone(Side from, Side to, store::Deadline deadline) = 0;
  // Plans, and unless it is a dry run imports, the configuration of `from` into `to`; returns the response of POST
  // /admin/config-import. Never deletes. Fails with validation (problems), forbidden, conflict (another plan),
  // testsFailed.
  virtual Task<doc::Document> promote(Side from, Side to, ImportMode mode, store::Deadline deadline) = 0;
};

}  // namespace mb::projects
