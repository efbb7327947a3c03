// From a bearer token to the caller behind it, on every request. Verified tokens are cached per core (bounded); what a
// cached one may do is compared at each use with the project's epoch (a blocked user, a changed role, a removed member)
// and with the ends of sessions, so that all of these bite on the next request (docs/engine.md, "Caches of authority").
#pragma once

#include <optional>
#include <string>

#include "base/task.h"
#include "policy/caller.h"
#include "snapshot/snapshot.h"

namespace mb::identity {

struct Identified {
  policy::Caller caller;          // without ip and requestId
  snapshot::SnapshotPtr project;  // null on the control plane
};

class Authenticator {
 public:
  virtual ~Authenticator() = default;
  // A project token (end user or member) or an API key. Fails with unauthenticated (broken, expired, revoked, unknown,
  // a control token, a user not active); projectSuspended; notFound for a deleted project.
  virtual Task<Identified> project(std::string token) = 0;
  // A control token. Fails with unauthenticated; a project token is one of its failures.
  virtual Task<Identified> control(std::string token) = 0;
  // project() without waiting: nullopt when this core's cache cannot answer, which says nothing of the token.
  virtual std::optional<Identified> cachedProject(std::string_view token) = 0;
};

}  // namespace mb::identity
