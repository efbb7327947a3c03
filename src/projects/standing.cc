#include "projects/standing.h"

#include <algorithm>

namespace mb::projects {

Task<Standing> standingOf(const ProjectDeps& deps, By by, std::string projectId) {
  // Slugs name projects elsewhere, never here.
  if (!projectId.starts_with(ProjectTag::prefix)) co_return fail(ErrorCode::notFound, "no such project");
  snapshot::SnapshotPtr project = deps.snapshots.cached(projectId);
  if (!project) {
    CO_TRY(project, co_await deps.snapshots.find(std::move(projectId)));
  }
  if (!project) co_return fail(ErrorCode::notFound, "no such project");
  const auto& members = project->get(deps.slots.members).byUser;
  const auto member = members.find(by.caller.id);
  if (member == members.end()) co_return fail(ErrorCode::notFound, "no such project");
  co_return Standing{project, member->second.membershipId, member->second.role};
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

Task<store::JudgeOutcome> commit(const ProjectDeps& deps, By by, std::vector<store::ProjectNo> projects,
                                 std::vector<store::WriteTarget> targets, store::Judge judge,
                                 std::vector<store::Insert> alongside) {
  const size_t judged = targets.size();
  for (const auto& insert : alongside) {
    targets.push_back({insert.collection, std::string(insert.document.view().stringOr("id"))});
  }
  store::WriteOptions options{by.deadline, {"platform", by.caller.id}, store::Lane::normal, std::move(projects)};
  store::Judge whole = [&](Before before) -> Result<std::vector<store::Change>> {
    TRY(std::vector<store::Change> changes, judge(before.first(judged)));
    const bool idle = std::all_of(changes.begin(), changes.end(),
                                  [](const store::Change& change) { return change.kind == store::Change::Kind::keep; });
    for (auto& insert : alongside) {
      changes.push_back(idle ? store::Change::keep() : store::Change::put(std::move(insert.document)));
    }
    return changes;
  };
  co_return co_await deps.store.write(std::move(targets), std::move(whole), std::move(options));
}

store::Write projectWrite(const By& by, std::vector<store::ProjectNo> projects, std::vector<store::Insert> entries) {
  store::Write write({.deadline = by.deadline,
                      .actor = {"platform", by.caller.id},
                      .lane = store::Lane::normal,
                      .bumpEpochs = std::move(projects)});
  write.insert(std::move(entries));
  return write;
}

}  // namespace mb::projects
