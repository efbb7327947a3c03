// The dependencies of the module.
#pragma once

#include "audit/audit.h"
#include "base/clock.h"
#include "base/cores.h"
#include "base/crypto.h"
#include "base/id.h"
#include "jobs/jobs.h"
#include "plans/plans.h"
#include "snapshot/snapshot.h"
#include "store/entry_fields.h"
#include "store/store.h"

namespace mb::data {

// How often a write or an alteration starts again because the catalogue has changed since its snapshot. Each time
// another change was committed, so changes as a whole make progress; the bound is for a burst of them.
inline constexpr int kMaxStaleAttempts = 50;

// The references outlive the module.
struct DataDeps {
  store::DocumentStore& store;
  snapshot::Snapshots& snapshots;
  Cores& cores;
  IdGenerator& ids;
  const Clock& clock;
  audit::Auditor& auditor;
  store::EntryFields* entryFields = nullptr;  // null: the store's indexes hold keys only
  jobs::Queue* queue = nullptr;               // null: deletions that need a job fail with unavailable
  std::optional<plans::PlanSlot> plan = {};   // nullopt: vectors are not limited
  const MasterSecret* master = nullptr;       // seals cursors; null: a secret of this process
};

}  // namespace mb::data
