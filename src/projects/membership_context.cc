#include "projects/membership_context.h"

namespace mb::projects {

Task<MembershipContext> membershipContext(const ProjectDeps& deps, By by, std::string projectId) {
  // A project is addressed by its id here, never by its slug.
  if (!projectId.starts_with(ProjectTag::prefix)) co_return fail(ErrorCode::notFound, "no such project");
  snapshot::SnapshotPtr project = deps.snapshots.cached(projectId);
  if (!project) {
    CO_TRY(project, co_await deps.snapshots.find(std::move(projectId)));
  }
  if (!project) co_return fail(ErrorCode::notFound, "no such project");
  const auto& members = project->get(deps.slots.members).byUser;
  const auto member = members.find(by.caller.id);
  if (member == members.end()) co_return fail(ErrorCode::notFound, "no such project");
  co_return MembershipContext{project, member->second.membershipId, member->second.role};
}

std::vector<store::Insert> auditOf(const ProjectDeps& deps, const policy::Caller& caller, store::ProjectNo project,
                                   std::string action, std::string target, doc::Document details) {
  audit::AuditActor actor{"platform", caller.id, std::nullopt};
  if (!caller.email.empty()) actor.email = caller.email;
  return deps.auditor.entry(project, std::move(action), std::move(actor), std::move(target), caller.ip,
                            caller.requestId, std::move(details));
}

bool mayJoin(const ProjectDeps& deps, const identity::UserRecord& user) {
  return user.emailVerified || !deps.mailer.delivers();
}

store::Write projectWrite(const By& by, std::vector<store::ProjectNo> projects, std::vector<store::Insert> entries) {
  store::Write write({.deadline = by.deadline,
                      .actor = {store::ActorKind::platform, by.caller.id},
                      .priority = store::WritePriority::normal,
                      .bumpEpochs = std::move(projects)});
  write.insert(std::move(entries));
  return write;
}

}  // namespace mb::projects
