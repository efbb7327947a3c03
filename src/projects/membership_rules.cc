#include "projects/membership_rules.h"

#include <algorithm>

namespace mb::projects {

namespace {

std::unexpected<Error> noProject() {
  return fail(ErrorCode::notFound, "no such project");
}

Result<> ownerRule(const Asking& asking, bool touchesOwner) {
  if (touchesOwner && asking.actor->role != kOwner) {
    return fail(ErrorCode::forbidden, "only an Owner may grant or revoke Owner");
  }
  return {};
}

Result<> lastOwnerRule(const Asking& asking, const MembershipRecord& target) {
  const bool last = target.role == kOwner && asking.project->owners.size() <= 1;
  if (last) return fail(ErrorCode::conflict, "a project needs at least one Owner");
  return {};
}

}  // namespace

Result<> mayManage(const Asking& asking) {
  if (!asking.project || asking.project->status == "deleted" || !asking.actor) return noProject();
  if (!manages(asking.actor->role)) return fail(ErrorCode::forbidden, "this needs the role Owner or Admin");
  return {};
}

Result<> mustOwn(const Asking& asking) {
  RETURN_IF_ERROR(mayManage(asking));
  if (asking.actor->role != kOwner) return fail(ErrorCode::forbidden, "this needs the role Owner");
  return {};
}

Result<> mayGrant(const Asking& asking, std::string_view role) {
  RETURN_IF_ERROR(mayManage(asking));
  return ownerRule(asking, role == kOwner);
}

Result<> mayChangeRole(const Asking& asking, const std::optional<MembershipRecord>& target, std::string_view role) {
  RETURN_IF_ERROR(mayManage(asking));
  if (!target) return fail(ErrorCode::notFound, "no such member");
  RETURN_IF_ERROR(ownerRule(asking, target->role == kOwner || role == kOwner));
  if (role == kOwner) return {};
  return lastOwnerRule(asking, *target);
}

Result<> mayRemove(const Asking& asking, const std::optional<MembershipRecord>& target) {
  RETURN_IF_ERROR(mayManage(asking));
  if (!target) return fail(ErrorCode::notFound, "no such member");
  RETURN_IF_ERROR(ownerRule(asking, target->role == kOwner));
  return lastOwnerRule(asking, *target);
}

void noteRole(ProjectRecord& record, const UserId& user, std::optional<std::string_view> role) {
  auto& owners = record.owners;
  const auto at = std::find(owners.begin(), owners.end(), user.str());
  if (role == kOwner) {
    if (at == owners.end()) owners.push_back(user.str());
  } else if (at != owners.end()) {
    owners.erase(at);
  }
}

}  // namespace mb::projects
