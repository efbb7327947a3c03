// The set that a user belongs to: a project's end users, or the platform users. The same code serves both.
#pragma once

#include "snapshot/snapshot.h"

namespace mb::identity {

// The system collection of a realm's users, by their ids. Users are never deleted.
inline constexpr store::CollectionNo kUsers = 10;

struct Realm {
  store::ProjectNo project = 0;
  ProjectId id;  // empty on the control plane
  bool control = false;

  static Realm platform() { return {store::kControlProject, {}, true}; }
  static Realm of(const snapshot::ProjectInfo& info) { return {info.number, info.id, false}; }
  // Of its users, as actors.
  store::ActorKind userKind() const { return control ? store::ActorKind::platform : store::ActorKind::user; }
};

}  // namespace mb::identity
