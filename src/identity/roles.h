// Roles of a project: member roles and end-user roles, built-in and custom.
#pragma once

#include <string>
#include <vector>

#include "document/shape.h"
#include "identity/identity_deps.h"
#include "identity/tables.h"
#include "policy/caller.h"

namespace mb::identity {

enum class RoleKind { member, endUser };

struct RoleView {
  std::string name;
  std::vector<std::string> permissions;
  bool builtIn = false;
  static constexpr auto shape() {
    return doc::shape<RoleView>("Role", doc::field("name", &RoleView::name),
                                doc::field("permissions", &RoleView::permissions),
                                doc::field("builtIn", &RoleView::builtIn));
  }
};

struct NewRole {
  std::string name;
  std::vector<std::string> permissions;
  static constexpr auto shape() {
    return doc::shape<NewRole>("NewRole", doc::field("name", &NewRole::name),
                               doc::field("permissions", &NewRole::permissions));
  }
};

struct RolePermissions {
  std::vector<std::string> permissions;
  static constexpr auto shape() {
    return doc::shape<RolePermissions>("RolePermissions", doc::field("permissions", &RolePermissions::permissions));
  }
};

// The built-in roles of a kind, in their order.
const std::vector<RoleView>& builtInRoles(RoleKind kind);

// Of each kind in a project.

// Every change bumps the project's epoch. Names are unique case-insensitively, built-in ones included.
class Roles {
 public:
  Roles(const IdentityDeps& deps, const IdentitySlots& slots) : deps_(deps), slots_(slots) {}

  // The checks of create() that need no store. Fails with validation, conflict (the name of a built-in role).
  static Result<> check(RoleKind kind, const NewRole& role);

  // Built-in ones first, then custom ones by name.
  Task<std::vector<RoleView>> list(store::ProjectNo project, RoleKind kind);
  Task<RoleView> get(store::ProjectNo project, RoleKind kind, std::string name);
  // Each change fails with forbidden when the role would hold a permission that `by` does not.
  // Fails with validation (name, permissions), conflict (a taken name, 200 roles already).
  Task<RoleView> create(store::ProjectNo project, RoleKind kind, NewRole input, policy::Caller by,
                        store::Deadline deadline);
  // Fails with notFound, conflict (a built-in role), validation.
  Task<> replace(store::ProjectNo project, RoleKind kind, std::string name, RolePermissions input, policy::Caller by,
                 store::Deadline deadline);
  // Fails with notFound, conflict (built-in, or a member, a pending invite or a user has it: checked in the commit)
  Task<> remove(store::ProjectNo project, RoleKind kind, std::string name, policy::Caller by, store::Deadline deadline);

  // The RoleTable of the snapshot.
  Task<std::shared_ptr<const void>> load(store::ProjectNo project);

 private:
  // One attempt; fails with retry where a member role was granted since the members were read.
  Task<> removeOnce(store::ProjectNo project, RoleKind kind, std::string name, policy::Caller by,
                    store::Deadline deadline);
  Task<> refuseWhileUsed(store::ProjectNo project, std::string name);

  const IdentityDeps& deps_;
  const IdentitySlots& slots_;
};

}  // namespace mb::identity
