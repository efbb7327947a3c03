// Where users live: a project's end users and the platform's own users go through the same code.
#pragma once

#include "snapshot/snapshot.h"

namespace mb::identity {

struct Realm {
  store::ProjectNo project = 0;
  ProjectId id;  // empty on the control plane
  bool control = false;

  static Realm platform() { return {store::kControlProject, {}, true}; }
  static Realm of(const snapshot::ProjectInfo& info) { return {info.number, info.id, false}; }
};

}  // namespace mb::identity
