// What the module needs from others.
#pragma once

#include "audit/audit.h"
#include "base/clock.h"
#include "base/cores.h"
#include "base/id.h"
#include "snapshot/snapshot.h"
#include "store/entry_fields.h"
#include "store/store.h"

namespace mb::data {

// How often a write or an alteration starts again because the catalogue changed under it. Each time somebody else's
// change was committed, so they all come through; the bound is for a storm of changes.
inline constexpr int kMaxStaleTries = 50;

// References outlive the module.
struct DataDeps {
  store::DocumentStore& store;
  snapshot::Snapshots& snapshots;
  Cores& cores;
  IdGenerator& ids;
  const Clock& clock;
  audit::Auditor& auditor;
  store::EntryFields* entryFields = nullptr;  // null: the store's indexes hold keys alone
};

}  // namespace mb::data
