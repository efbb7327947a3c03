#include "configuration/role_kind.h"

#include <algorithm>

#include "base/text.h"
#include "configuration/canonical_shape.h"
#include "identity/records.h"
#include "store/configuration_limits.h"

namespace mb::configuration {

namespace {

Entry entryOf(identity::NewRole role) {
  role.permissions = canonicalSet(std::move(role.permissions));
  return entryShowing(role.name, role);
}

Result<identity::NewRole> roleOf(const Change& change) {
  return doc::decode<identity::NewRole>(change.after.view().asDocument());
}

}  // namespace

std::string_view RoleKind::section() const {
  return kind_ == identity::RoleKind::member ? "roles" : "enduserRoles";
}

Task<std::vector<Entry>> RoleKind::entries(snapshot::SnapshotPtr project) {
  const identity::RoleTable& table = project->get(slot_);
  std::vector<Entry> entries;
  for (const auto& [name, permissions] : kind_ == identity::RoleKind::member ? table.member : table.endUser) {
    const bool custom = std::ranges::none_of(identity::builtInRoles(kind_),
                                             [&](const identity::RoleView& role) { return role.name == name; });
    if (custom) entries.push_back(entryOf({name, permissions->list()}));
  }
  co_return entries;
}

Task<std::vector<Entry>> RoleKind::merged(Source source, const std::vector<Entry>& current, Problems& problems) {
  UniqueNameSet names(current, lowerAscii);
  std::vector<Entry> merged;
  CooperativeYielder yielder;
  for (const auto& [index, value] : source.section.asDocument()) {
    co_await yielder.maybeYield();
    const std::string pointer = fmt::format("/{}/{}", section(), index);
    auto role = entryAt<identity::NewRole>(value, pointer, problems);
    if (!role) continue;
    if (const auto checked = identity::Roles::check(kind_, *role); !checked) {
      const bool named = checked.error().code() == ErrorCode::conflict;
      problems.add(named ? pointer + "/name" : pointer, checked.error());
      continue;
    }
    names.take(role->name, pointer, problems);
    merged.push_back(entryOf(*std::move(role)));
  }
  names.checkCount(section(), store::kMaxRoles, "roles", problems);
  co_return merged;
}

Result<> RoleKind::mayApply(const policy::Caller& caller, const Change& change) const {
  TRY(identity::NewRole role, roleOf(change));
  if (caller.permissions->includes(policy::PermissionSet(std::move(role.permissions)))) return {};
  return fail(ErrorCode::forbidden,
              fmt::format("{}/{}: a role cannot hold permissions that you do not hold", section(), change.name));
}

Task<> RoleKind::applyOne(Target target, Change change) {
  const store::ProjectNo project = target.project->info().number;
  CO_TRY(identity::NewRole role, roleOf(change));
  if (change.before) {
    co_return co_await roles_.replace(project, kind_, change.name, {std::move(role.permissions)}, target.caller,
                                      target.deadline);
  }
  const auto made = co_await roles_.create(project, kind_, std::move(role), target.caller, target.deadline);
  if (!made) co_return fail(made.error().clone());
  co_return Result<>();
}

}  // namespace mb::configuration
