#include "realtime/anonymous.h"

#include <algorithm>
#include <limits>

namespace mb::realtime {

namespace {

identity::Identified anonymousIn(const RealtimeDeps& deps, snapshot::SnapshotPtr project) {
  const store::ProjectNo number = project->info().number;
  const identity::AuthState now = deps.authenticator.authState(number);
  identity::Identified who;
  who.caller.project = number;
  who.caller.projectId = project->info().id;
  who.validity.projectEpoch = project->epoch();
  who.validity.drops = now.drops;
  who.validity.expiresMs = std::numeric_limits<int64_t>::max();
  who.project = std::move(project);
  return who;
}

bool isPubliclyReadable(const data::CollectionTable& table) {
  return table.hasPublicRules && std::ranges::any_of(table.byName, [](const auto& named) {
           const policy::Policy* policy = named.second->policy.get();
           return policy != nullptr && policy->publicRule(policy::Operation::read) != nullptr;
         });
}

}  // namespace

Task<identity::Identified> identifyAnonymous(const RealtimeDeps& deps, std::optional<std::string> project) {
  snapshot::SnapshotPtr found;
  if (project && project->empty()) {
    CO_TRY(found, co_await deps.snapshots.onlyOne());
  } else if (project) {
    CO_TRY(found, co_await deps.snapshots.find(*std::move(project)));
  }
  const bool open = found && found->info().status != snapshot::ProjectStatus::suspended &&
                    isPubliclyReadable(deps.grants.table(*found));
  if (!open) co_return fail(ErrorCode::unauthenticated, "this project shows nothing without a token");
  co_return anonymousIn(deps, std::move(found));
}

Task<identity::Identified> identifyAnonymousAgain(const RealtimeDeps& deps, store::ProjectNo project) {
  CO_TRY(snapshot::SnapshotPtr found, co_await deps.snapshots.byNumber(project));
  if (!found) co_return fail(ErrorCode::notFound, "no such project");
  if (found->info().status == snapshot::ProjectStatus::suspended) {
    co_return fail(ErrorCode::projectSuspended, "this project is suspended");
  }
  co_return anonymousIn(deps, std::move(found));
}

}  // namespace mb::realtime
