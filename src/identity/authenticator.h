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

// How things are with a project's callers at one moment.
struct Moment {
  int64_t nowMs = 0;
  store::Epoch projectEpoch;
  store::Epoch controlEpoch;
  uint64_t drops = 0;  // Tokens::drops()
};

// What an identification rests on. Who keeps a caller for longer than a request compares it before each use, which
// costs no look-up, and identifies anew where it does not hold any more.
struct Standing {
  store::Mark session;  // of a JWT
  store::Mark user;     // likewise
  uint64_t projectEpoch = 0;
  uint64_t controlEpoch = 0;
  bool ofPlatformUser = false;  // members and platform users: the control project's epoch counts too
  uint64_t drops = 0;
  int64_t expiresMs = 0;  // of the token or key

  bool holds(const Moment& moment) const {
    return moment.nowMs < expiresMs && moment.projectEpoch == projectEpoch && moment.drops == drops &&
           !session.changed() && !user.changed() && (!ofPlatformUser || moment.controlEpoch == controlEpoch);
  }
};

struct Identified {
  policy::Caller caller;          // without ip and requestId
  snapshot::SnapshotPtr project;  // null on the control plane
  Standing standing;              // of project tokens and keys
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
  virtual Moment moment(store::ProjectNo project) const = 0;
};

}  // namespace mb::identity
