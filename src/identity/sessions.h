// Refresh sessions of a realm. A session that ends bumps the project's epoch, so access tokens of it end with it.
#pragma once

#include <string>
#include <vector>

#include "identity/identity_deps.h"
#include "identity/realm.h"
#include "identity/session_types.h"

namespace mb::identity {

inline constexpr int64_t kSessionMs = 30LL * 24 * 3600 * 1000;
inline constexpr size_t kSessionsPerUser = 100;

struct ClientInfo {
  std::string ip;
  std::string userAgent;
};

// Whether a refresh gives a new refresh token in place of the old one (project setting rotateRefreshTokens).
enum class Rotation { keep, rotate };

class Sessions {
 public:
  explicit Sessions(const IdentityDeps& deps) : deps_(deps) {}

  struct Opened {
    SessionRecord session;
    std::string refreshToken;  // handed out once
  };
  // Past kSessionsPerUser the longest unused one goes.
  Task<Opened> open(Realm realm, UserId user, ClientInfo client, store::Deadline deadline);

  struct Refreshed {
    SessionRecord session;
    std::string refreshToken;  // the new one of Rotation::rotate; empty otherwise
  };
  // The live session of a refresh token, its use noted (at most once a minute). Of parallel uses under
  // Rotation::rotate exactly one succeeds. Fails with unauthenticated.
  Task<Refreshed> refresh(Realm realm, std::string refreshToken, Rotation rotation, store::Deadline deadline);

  Task<std::optional<SessionRecord>> get(Realm realm, SessionId id);
  // Live ones, oldest first.
  Task<std::vector<SessionRecord>> list(Realm realm, UserId user, store::Deadline deadline);
  // Ends the session of a refresh token; an unknown one is no failure.
  Task<> close(Realm realm, std::string refreshToken, store::Deadline deadline);
  // Fails with notFound when there is no such session of this user.
  Task<> revoke(Realm realm, UserId user, SessionId id, store::Deadline deadline);

 private:
  Task<std::optional<SessionRecord>> byToken(Realm realm, std::string refreshToken, store::Deadline deadline);
  const IdentityDeps& deps_;
};

}  // namespace mb::identity
