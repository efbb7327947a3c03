// Writes to a project that are recorded in its audit log, in the same commit.
#pragma once

#include "audit/audit.h"
#include "identity/project_access.h"

namespace mb::identity {

// What the entry says, next to who it was.
struct Audited {
  std::string action;  // "function.created"
  std::string target;  // "functions/greet"
  doc::Document details;
};

// A write to `project` as `by`, with the entry inserted and the project's epoch bumped where it changes anything.
store::Write auditedWrite(audit::Auditor& auditor, store::ProjectNo project, const policy::Caller& by,
                          store::Deadline deadline, Audited audited);

// The same for a caller with access to the project.
store::Write auditedWrite(audit::Auditor& auditor, const ProjectAccess& access, Audited audited);

}  // namespace mb::identity
