#include "identity/audited_write.h"

#include "identity/records.h"

namespace mb::identity {

store::Write auditedWrite(audit::Auditor& auditor, store::ProjectNo project, const policy::Caller& by,
                          store::Deadline deadline, Audited audited) {
  store::Write write({.deadline = deadline, .actor = policy::actorOf(by), .bumpEpochs = {project}});
  write.insert(auditor.entry(project, std::move(audited.action), auditActorOf(by), std::move(audited.target), by.ip,
                             by.requestId, std::move(audited.details)));
  return write;
}

store::Write auditedWrite(audit::Auditor& auditor, const ProjectAccess& access, Audited audited) {
  return auditedWrite(auditor, access.project->info().number, access.caller, access.deadline, std::move(audited));
}

}  // namespace mb::identity
