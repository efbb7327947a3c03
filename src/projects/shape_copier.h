// How a project's shape (collections, policies, roles, …; never data, never secrets) gets into another of its family.
// Declared here, where environments are made and promoted; implemented by configuration/. Source: contract 4.8, 4.11.
#pragma once

#include <string>
#include <vector>

#include "document/bson.h"
#include "policy/caller.h"
#include "snapshot/snapshot.h"

namespace mb::projects {

// How an import or a promotion is done.
struct ImportMode {
  bool dryRun = false;     // only plans
  std::string planDigest;  // applies this plan and no other; "" for whatever it is by then
};

class ShapeCopier {
 public:
  virtual ~ShapeCopier() = default;

  // One of the two sides. `caller` holds there what the asking Owner's role holds in that project.
  struct Side {
    snapshot::SnapshotPtr project;
    policy::Caller caller;
  };

  // Gives the new and empty `to` the shape of `from`, as far as it goes: a warning, fit for the wire, for each part
  // that failed. Fails with nothing but what leaves no answer to give (unavailable, internal).
  virtual Task<std::vector<std::string>> clone(Side from, Side to, store::Deadline deadline) = 0;
  // Plans, and unless it is a dry run imports, the shape of `from` into `to`: what POST /admin/config-import answers.
  // Never deletes. Fails with validation (problems), forbidden, conflict (another plan).
  virtual Task<doc::Document> promote(Side from, Side to, ImportMode mode, store::Deadline deadline) = 0;
};

}  // namespace mb::projects
