// A change that somebody makes to a project, and the audit entry that tells of it, in one commit.
#pragma once

#include "audit/audit.h"
#include "policy/caller.h"
#include "store/store.h"

namespace mb::identity {

// What the entry says beside who it was.
struct Audited {
  std::string action;  // "function.created"
  std::string target;  // "functions/greet"
  doc::Document details;
};

// The older form of auditedWrite(). Writes what `judge` makes of `targets`, as `by`, and bumps the project's epoch.
// Fails with what the judge and the store fail with; nothing is written then.
Task<store::JudgeOutcome> writeAudited(store::DocumentStore& store, audit::Auditor& auditor, store::ProjectNo project,
                                       policy::Caller by, store::Deadline deadline,
                                       std::vector<store::WriteTarget> targets, store::Judge judge, Audited audited);

// A write to `project` as `by`, with the entry inserted and the project's epoch bumped where it changes anything.
store::Write auditedWrite(audit::Auditor& auditor, store::ProjectNo project, const policy::Caller& by,
                          store::Deadline deadline, Audited audited);

}  // namespace mb::identity
