// The caller, project and deadline that the services of a project are called with.
#pragma once

#include "policy/caller.h"
#include "snapshot/snapshot.h"
#include "store/store.h"

namespace mb::identity {

struct ProjectAccess {
  policy::Caller caller;
  snapshot::SnapshotPtr project;
  store::Deadline deadline;
};

}  // namespace mb::identity
