// Authenticator resolves a bearer token to its caller, on every request. Verified tokens are cached per core (bounded);
// each use compares the cached entry with the project's epoch (a blocked user, a changed role, a removed member) and
// with the ends of sessions, so all of these take effect on the next request (docs/engine.md, "Caches of authority").
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

// The state that an identification depends on. Code that keeps a caller for longer than a request calls holds() before
// each use, which costs no look-up, and identifies the caller again where it returns false.
struct CallerValidity {
  store::Mark session;  // of a JWT
  store::Mark user;     // of a JWT
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
  // A control token. Fails with unauthenticated, for a project token too.
  virtual Task<Identified> control(std::string token) = 0;
  // project() without waiting: nullopt when this core's cache has no valid entry; the token may be valid all the same.
  virtual std::optional<Identified> cachedProject(std::string_view token) = 0;
  // Never blocks. Any thread.
  virtual AuthState authState(store::ProjectNo project) const = 0;
};

}  // namespace mb::identity
