// Refresh sessions of a realm. Caches of callers watch the session, so access tokens end with it.
//
// A refresh token is random text, of which the hash is stored. A rotated one is that text, the number of its generation
// and a code that only the server can make (refresh_token.h). So a token that was replaced is recognised for as long as
// the session lives, without a list of such tokens.
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

// How long a replaced token still returns the same successor: two tabs of a browser may use it concurrently.
inline constexpr int64_t kRotationGraceMs = 10'000;

// How the client gets its refresh token: in the body of a response, or as a cookie that scripts cannot read.
enum class TokenTransport { body, cookie };

struct ClientInfo {
  std::string ip;
  std::string userAgent;
  std::string requestId = {};
  // How the user authenticated: "password", "mfa" or the provider. If set, opening a session is audited as
  // login.succeeded.
  std::string method = {};
  TokenTransport transport = TokenTransport::body;
};

// Whether the session was opened before its user was signed out everywhere, and was not kept then.
bool isOver(const SessionRecord& session, const UserRecord& user);

// Whether a refresh replaces the refresh token (project setting rotateRefreshTokens).
enum class Rotation { keep, rotate };

class Sessions {
 public:
  explicit Sessions(const IdentityDeps& deps) : deps_(deps), tokens_(deps.master), ends_(deps.store.notices()) {}

  struct Opened {
    SessionRecord session;
    std::string refreshToken;  // returned only once
  };
  // Opens a session; past kSessionsPerUser the least recently used one ends. `user`: as read before authentication.
  // Fails with unauthenticated when the user was signed out everywhere since, retry when the second factor was
  // activated since (Identity::admit then requires it).
  Task<Opened> open(Realm realm, UserRecord user, ClientInfo client, store::Deadline deadline);

  struct Refreshed {
    SessionRecord session;
    std::string refreshToken;  // the new one of Rotation::rotate; empty otherwise
  };
  // The live session of a refresh token; records the use (at most once a minute). Concurrent uses under
  // Rotation::rotate get the same successor. A token that was replaced longer ago than kRotationGraceMs ends the
  // session (audited as session.reuse). The successor of a session in a cookie is returned for a cookie only. Fails
  // with unauthenticated.
  Task<Refreshed> refresh(Realm realm, std::string refreshToken, Rotation rotation, ClientInfo client,
                          store::Deadline deadline);

  Task<std::optional<SessionRecord>> get(Realm realm, SessionId id);
  // Changes once the session may have ended. Call before get(). Any thread.
  store::Mark watch(const SessionId& id) const { return ends_.watch(id.str()); }
  // Changes once the user's record may have changed. Call before reading the record.
  store::Mark watchUser(store::ProjectNo project, const UserId& user) const;
  // Live ones, oldest first.
  Task<std::vector<SessionRecord>> list(Realm realm, UserId user, store::Deadline deadline);
  // The client of a call that is audited (session.ended, session.revoked, session.revokedAll); without it there is no
  // entry.
  using AuditClient = std::optional<ClientInfo>;
  // Ends the session of a refresh token; succeeds for an unknown token.
  Task<> close(Realm realm, std::string refreshToken, store::Deadline deadline, AuditClient auditClient = std::nullopt);
  // Returns the session as it was. Fails with notFound when there is no such session of this user.
  Task<SessionRecord> revoke(Realm realm, UserId user, SessionId id, store::Deadline deadline,
                             AuditClient auditClient = std::nullopt);
  // Ends all sessions of the user but `except`.
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
  // Removes those of `sessions` that exist, and inserts `entries` if there is one.
  Task<> remove(Realm realm, UserId user, std::vector<std::string> sessions, std::vector<store::Insert> entries,
                store::Deadline deadline);

  const IdentityDeps& deps_;
  const RefreshTokens tokens_;
  SessionEnds ends_;
};

}  // namespace mb::identity
