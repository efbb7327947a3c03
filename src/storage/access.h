// Who does it, in which project, and until when.
#pragma once

#include "policy/caller.h"
#include "snapshot/snapshot.h"

namespace mb::storage {

struct Access {
  policy::Caller caller;
  snapshot::SnapshotPtr project;
  store::Deadline deadline;
};

}  // namespace mb::storage
