#include "configuration/role_kind.h"

#include <algorithm>

#include "base/text.h"
#include "store/configuration_limits.h"

namespace mb::configuration {

RoleKind::RoleKind(identity::RoleKind kind, identity::Roles& roles, snapshot::SlotKey<identity::RoleTable> slot)
    : NamedKind({.section = kind == identity::RoleKind::member ? "roles" : "enduserRoles",
                 .permission = "roles:manage",
                 .name = &identity::NewRole::name,
                 .fold = lowerAscii,
                 .limit = store::kMaxRoles,
                 .plural = "roles"}),
      kind_(kind),
      roles_(roles),
      slot_(slot) {}

std::vector<identity::NewRole> RoleKind::stored(const snapshot::ProjectSnapshot& project) const {
  const identity::RoleTable& table = project.get(slot_);
  std::vector<identity::NewRole> all;
  for (const auto& [name, permissions] : kind_ == identity::RoleKind::member ? table.member : table.endUser) {
    const bool custom = std::ranges::none_of(identity::builtInRoles(kind_),
                                             [&](const identity::RoleView& role) { return role.name == name; });
    if (custom) all.push_back({name, permissions->list()});
  }
  return all;
}

std::vector<ErrorDetail> RoleKind::problemsIn(const identity::NewRole& role) const {
  const Result<> checked = identity::Roles::check(kind_, role);
  if (checked) return {};
  const std::string at = checked.error().code() == ErrorCode::conflict ? "/name" : "";
  std::vector<ErrorDetail> details = detailsOf(checked.error());
  for (ErrorDetail& each : details) each.path = at + each.path;
  return details;
}

identity::NewRole RoleKind::canonical(identity::NewRole role) const {
  role.permissions = canonicalSet(std::move(role.permissions));
  return role;
}

Result<> RoleKind::mayApply(const Target& target, const Change& change) const {
  TRY(identity::NewRole role, doc::decode<identity::NewRole>(change.after.view().asDocument()));
  if (target.caller.permissions->includes(policy::PermissionSet(std::move(role.permissions)))) return {};
  return fail(ErrorCode::forbidden,
              fmt::format("{}/{}: a role cannot hold permissions that you do not hold", section(), change.name));
}

Result<> RoleKind::draft(ProjectDraft& draft, const std::vector<Change>& changes) const {
  auto roles = std::make_shared<identity::RoleTable>(draft.project->get(slot_));
  auto& ofKind = kind_ == identity::RoleKind::member ? roles->member : roles->endUser;
  for (const Change& change : changes) {
    TRY(identity::NewRole role, doc::decode<identity::NewRole>(change.after.view().asDocument()));
    ofKind[role.name] = std::make_shared<const policy::PermissionSet>(std::move(role.permissions));
  }
  draft.project = draft.project->with(slot_, std::shared_ptr<const identity::RoleTable>(std::move(roles)));
  return {};
}

Task<> RoleKind::save(Target target, identity::NewRole role, bool exists) {
  const store::ProjectNo project = target.project->info().number;
  if (exists) {
    const std::string name = role.name;
    co_return co_await roles_.replace(project, kind_, name, {std::move(role.permissions)}, target.caller,
                                      target.deadline);
  }
  const auto made = co_await roles_.create(project, kind_, std::move(role), target.caller, target.deadline);
  if (!made) co_return fail(made.error().clone());
  co_return Result<>();
}

}  // namespace mb::configuration
