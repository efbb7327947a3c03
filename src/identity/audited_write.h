// Writes to a project that are recorded in its audit log, in the same commit.
#pragma once

#include "audit/audit.h"
#include "identity/project_access.h"

namespace mb::identity {

// The content of an audit entry, without the actor.
struct Audited {
  std::string action;  // "function.created"
  std::string target;  // "functions/greet"
  doc::Document details;
};

// A write to `project` as `by`, which inserts the entry and bumps the project's epoch where it changes anything.
store::Write auditedWrite(audit::Auditor& auditor, store::ProjectNo project, const policy::Caller& by,
                          store::Deadline deadline, Audited audited);

// The same for a caller with access to the project.
store::Write auditedWrite(audit::Auditor& auditor, const ProjectAccess& access, Audited audited);

}  // namespace mb::identity
