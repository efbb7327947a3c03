#include "projects/membership_rules.h"

#include <algorithm>

namespace mb::projects {

namespace {

std::unexpected<Error> noProject() {
  return fail(ErrorCode::notFound, "no such project");
}

Result<> ownerRule(const ActingMember& acting, bool touchesOwner) {
  if (touchesOwner && acting.actor->role != kOwner) {
    return fail(ErrorCode::forbidden, "only an Owner may grant or revoke Owner");
  }
  return {};
}

Result<> lastOwnerRule(const ActingMember& acting, const MembershipRecord& target) {
  const bool last = target.role == kOwner && acting.project->owners.size() <= 1;
  if (last) return fail(ErrorCode::conflict, "a project needs at least one Owner");
  return {};
}

}  // namespace

Result<> mayManage(const ActingMember& acting) {
  if (!acting.project || acting.project->status == "deleted" || !acting.actor) return noProject();
  if (!manages(acting.actor->role)) return fail(ErrorCode::forbidden, "this needs the role Owner or Admin");
  return {};
}

Result<> mustOwn(const ActingMember& acting) {
  RETURN_IF_ERROR(mayManage(acting));
  if (acting.actor->role != kOwner) return fail(ErrorCode::forbidden, "this needs the role Owner");
  return {};
}

Result<> mayGrant(const ActingMember& acting, std::string_view role) {
  RETURN_IF_ERROR(mayManage(acting));
  return ownerRule(acting, role == kOwner);
}

Result<> mayChangeRole(const ActingMember& acting, const std::optional<MembershipRecord>& target,
                       std::string_view role) {
  RETURN_IF_ERROR(mayManage(acting));
  if (!target) return fail(ErrorCode::notFound, "no such member");
  RETURN_IF_ERROR(ownerRule(acting, target->role == kOwner || role == kOwner));
  if (role == kOwner) return {};
  return lastOwnerRule(acting, *target);
}

Result<> mayRemove(const ActingMember& acting, const std::optional<MembershipRecord>& target) {
  RETURN_IF_ERROR(mayManage(acting));
  if (!target) return fail(ErrorCode::notFound, "no such member");
  RETURN_IF_ERROR(ownerRule(acting, target->role == kOwner));
  return lastOwnerRule(acting, *target);
}

void noteRole(ProjectRecord& record, const UserId& user, std::optional<std::string_view> role) {
  auto& owners = record.owners;
  const auto at = std::find(owners.begin(), owners.end(), user.str());
  if (role == kOwner) {
    if (at == owners.end()) owners.push_back(user.str());
  } else if (at != owners.end()) {
    owners.erase(at);
    const bool ends = record.transfer && (record.transfer->to == user || record.transfer->by == user);
    if (ends) record.transfer.reset();
  }
}

}  // namespace mb::projects
