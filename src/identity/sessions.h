// Refresh sessions of a realm. Whoever caches what a session vouches for watches it, so access tokens end with it.
//
// A refresh token is random text, of which the hash is stored. One that came by rotation is that text, the number of
// its generation and a code that only the server can make (refresh_token.h). So a token that was replaced is known as
// such for as long as the session lives, without a list of them.
#pragma once

#include <string>
#include <vector>

#include "identity/identity_deps.h"
#include "identity/realm.h"
#include "identity/refresh_token.h"
#include "identity/session_ends.h"
#include "identity/session_types.h"
#include "identity/user_types.h"

namespace mb::identity {

inline constexpr int64_t kSessionMs = 30LL * 24 * 3600 * 1000;
inline constexpr size_t kSessionsPerUser = 100;

// For so long the token that was just replaced gives the same successor again: two tabs of a browser may use it at
// once.
inline constexpr int64_t kRotationGraceMs = 10'000;

struct ClientInfo {
  std::string ip;
  std::string userAgent;
  std::string requestId = {};
  // How the user proved who they are: "password", "mfa" or the provider. What is opened with it is audited as
  // login.succeeded.
  std::string method = {};
};

// Whether the session began before its user was signed out everywhere.
bool isOver(const SessionRecord& session, const UserRecord& user);

// Whether a refresh gives a new refresh token in place of the old one (project setting rotateRefreshTokens).
enum class Rotation { keep, rotate };

class Sessions {
 public:
  explicit Sessions(const IdentityDeps& deps) : deps_(deps), tokens_(deps.master), ends_(deps.store.notices()) {}

  struct Opened {
    SessionRecord session;
    std::string refreshToken;  // handed out once
  };
  // Past kSessionsPerUser the longest unused one goes. `user`: as read before they proved who they are. Fails with
  // unauthenticated when they were signed out everywhere since, retry when their second factor was switched on since
  // (Identity::admit asks for it then).
  Task<Opened> open(Realm realm, UserRecord user, ClientInfo client, store::Deadline deadline);

  struct Refreshed {
    SessionRecord session;
    std::string refreshToken;  // the new one of Rotation::rotate; empty otherwise
  };
  // The live session of a refresh token, its use noted (at most once a minute). Parallel uses under Rotation::rotate
  // get the same successor. A token that was replaced longer ago ends the session (audited as session.reuse). Fails
  // with unauthenticated.
  Task<Refreshed> refresh(Realm realm, std::string refreshToken, Rotation rotation, ClientInfo client,
                          store::Deadline deadline);

  Task<std::optional<SessionRecord>> get(Realm realm, SessionId id);
  // To be begun before get(): changes once the session may have ended. Any thread.
  store::Mark watch(const SessionId& id) const { return ends_.watch(id.str()); }
  // The same of the user's record, before that is read.
  store::Mark watchUser(store::ProjectNo project, const UserId& user) const;
  // Live ones, oldest first.
  Task<std::vector<SessionRecord>> list(Realm realm, UserId user, store::Deadline deadline);
  // These are audited where it is said who asks: session.ended, session.revoked, session.revokedAll.
  using AuditClient = std::optional<ClientInfo>;
  // Ends the session of a refresh token; an unknown one is no failure.
  Task<> close(Realm realm, std::string refreshToken, store::Deadline deadline, AuditClient auditClient = std::nullopt);
  // Fails with notFound when there is no such session of this user.
  Task<> revoke(Realm realm, UserId user, SessionId id, store::Deadline deadline,
                AuditClient auditClient = std::nullopt);
  // All of the user, but for `except`.
  Task<> endAll(Realm realm, UserId user, std::optional<SessionId> except, store::Deadline deadline,
                AuditClient auditClient = std::nullopt);

 private:
  Task<std::optional<SessionRecord>> byFamily(Realm realm, std::string family, store::Deadline deadline);
  Task<std::vector<SessionRecord>> allOf(Realm realm, UserId user, store::Deadline deadline);
  Task<> endForReuse(Realm realm, SessionRecord session, ClientInfo client, store::Deadline deadline);
  std::vector<store::Insert> entry(const Realm& realm, std::string action, const UserId& user,
                                   const AuditClient& auditClient, doc::Document details) const;
  // One attempt; fails with retry where another request rotated the token since the session was read.
  Task<Refreshed> refreshOnce(Realm realm, RefreshToken given, Rotation rotation, ClientInfo client,
                              store::Deadline deadline);
  // Removes those of `sessions` that are there, and inserts `entries` where there is one.
  Task<> remove(Realm realm, UserId user, std::vector<std::string> sessions, std::vector<store::Insert> entries,
                store::Deadline deadline);

  const IdentityDeps& deps_;
  const RefreshTokens tokens_;
  SessionEnds ends_;
};

}  // namespace mb::identity
