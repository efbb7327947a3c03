// From a bearer token to the caller behind it, on every request. Verified tokens are cached per core (bounded); what a
// cached one may do is compared at each use with the project's epoch (a blocked user, a changed role, a removed member)
// and with the ends of sessions, so that all of these bite on the next request (docs/engine.md, "Caches of authority").
#pragma once

#include <optional>
#include <string>

#include "base/task.h"
#include "identity/session_ends.h"
#include "policy/caller.h"
#include "snapshot/snapshot.h"

namespace mb::identity {

// The clock and the epochs that a CallerValidity is compared with.
struct AuthState {
  int64_t nowMs = 0;
  store::Epoch projectEpoch;
  store::Epoch controlEpoch;
  uint64_t drops = 0;  // Tokens::drops()
};

// What an identification depends on. A caller that is cached for longer than a request is compared before each use,
// which costs no look-up, and identified again where it does not hold any more.
struct CallerValidity {
  store::Mark session;  // of a JWT
  store::Mark user;     // likewise
  uint64_t projectEpoch = 0;
  uint64_t controlEpoch = 0;
  bool ofPlatformUser = false;  // members and platform users: the control project's epoch counts too
  uint64_t drops = 0;
  int64_t expiresMs = 0;  // of the token or key

  bool holds(const AuthState& authState) const {
    return authState.nowMs < expiresMs && authState.projectEpoch == projectEpoch && authState.drops == drops &&
           !session.changed() && !user.changed() && (!ofPlatformUser || authState.controlEpoch == controlEpoch);
  }
};

struct Identified {
  policy::Caller caller;          // without ip and requestId
  snapshot::SnapshotPtr project;  // null on the control plane
  CallerValidity validity;        // of project tokens and keys
};

class Authenticator {
 public:
  virtual ~Authenticator() = default;
  // A project token (end user or member) or an API key. Fails with unauthenticated (broken, expired, revoked, unknown,
  // a control token, a user not active, a key of an unknown or deleted project); projectSuspended; notFound for a
  // token of a deleted project.
  virtual Task<Identified> project(std::string token) = 0;
  // A control token. Fails with unauthenticated; a project token is one of its failures.
  virtual Task<Identified> control(std::string token) = 0;
  // project() without waiting: nullopt when this core's cache cannot answer, which says nothing of the token.
  virtual std::optional<Identified> cachedProject(std::string_view token) = 0;
  // Never blocks. Any thread.
  virtual AuthState authState(store::ProjectNo project) const = 0;
};

}  // namespace mb::identity
