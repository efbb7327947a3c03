// A project's roles: the permissions of custom ones. Built-in ones are the same in all projects.
#pragma once

#include "configuration/named_kind.h"
#include "identity/roles.h"

namespace mb::configuration {

class RoleKind final : public NamedKind<identity::NewRole> {
 public:
  RoleKind(identity::RoleKind kind, identity::Roles& roles, snapshot::SlotKey<identity::RoleTable> slot);

  // A caller can only add permissions to a role that it holds itself.
  Result<> mayApply(const Target& target, const Change& change) const override;
  Result<> draft(ProjectDraft& draft, const std::vector<Change>& changes) const override;

 private:
  std::vector<identity::NewRole> stored(const snapshot::ProjectSnapshot& project) const override;
  std::vector<ErrorDetail> problemsIn(const identity::NewRole& role) const override;
  identity::NewRole canonical(identity::NewRole role) const override;
  Task<> save(Target target, identity::NewRole role, bool exists) override;

  const identity::RoleKind kind_;
  identity::Roles& roles_;
  const snapshot::SlotKey<identity::RoleTable> slot_;
};

}  // namespace mb::configuration
