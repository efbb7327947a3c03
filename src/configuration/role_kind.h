// A project's roles: the permissions of custom ones. Built-in ones are the same in all projects.
#pragma once

#include "configuration/listed_kind.h"
#include "identity/roles.h"

namespace mb::configuration {

class RoleKind final : public ListedKind {
 public:
  RoleKind(identity::RoleKind kind, identity::Roles& roles, snapshot::SlotKey<identity::RoleTable> slot)
      : kind_(kind), roles_(roles), slot_(slot) {}

  std::string_view section() const override;
  Task<std::vector<Entry>> entries(snapshot::SnapshotPtr project) override;
  Task<std::vector<Entry>> merged(Source source, const std::vector<Entry>& current, Problems& problems) override;
  // A caller can only add permissions to a role that it holds itself.
  Result<> mayApply(const policy::Caller& caller, const Change& change) const override;

 private:
  policy::RequiredPermission permission() const override { return "roles:manage"; }
  Task<> applyOne(Target target, Change change) override;
  const identity::RoleKind kind_;
  identity::Roles& roles_;
  const snapshot::SlotKey<identity::RoleTable> slot_;
};

}  // namespace mb::configuration
