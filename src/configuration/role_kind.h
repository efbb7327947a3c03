// Roles of a project: what custom ones hold. Built-in ones are every project's own.
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
  // Nobody gives a role what they do not hold.
  Result<> mayApply(const policy::Caller& caller, const Change& change) const override;

 private:
  policy::RequiredPermission permission() const override { return "roles:manage"; }
  Task<> applyOne(Target target, Change change) override;
  const identity::RoleKind kind_;
  identity::Roles& roles_;
  const snapshot::SlotKey<identity::RoleTable> slot_;
};

}  // namespace mb::configuration
