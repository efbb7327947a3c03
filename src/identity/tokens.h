// Access tokens: JWT (RFC 7519) in compact form, ES256 only. Source: contract 5, decisions 3.
//
// Claims: iss (base URL), aud ("control" | "project"), kind ("user" | "member" | "platform"), sub, sid, iat, exp, and
// on project tokens pid, role, perms (for information: rights are looked up live at each use).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/crypto.h"
#include "base/id.h"
#include "document/bson.h"
#include "identity/minted_tokens.h"
#include "policy/permissions.h"

namespace mb::identity {

inline constexpr int64_t kAccessTokenSeconds = 15 * 60;

enum class TokenKind { endUser, member, platform };

struct AccessToken {
  TokenKind kind = TokenKind::endUser;
  UserId user;        // of a member or platform token: the platform user
  SessionId session;  // of a member or platform token: the control session
  ProjectId project;  // empty on platform tokens
  std::string role;
  std::vector<std::string> permissions;
  Timestamp issuedAt;
  Timestamp expiresAt;
};

// Signs with the newest key, verifies with any. Keys are added before the first request; after that any thread.
class Tokens {
 public:
  Tokens(std::string issuer, const Clock& clock) : issuer_(std::move(issuer)), clock_(clock) {}

  const std::string& issuer() const { return issuer_; }
  // Oldest first.
  void addKey(SigningKey key);

  // Each is good for kAccessTokenSeconds. Requires a key.
  std::string mintEndUser(const UserId& user, const SessionId& session, const ProjectId& project, std::string_view role,
                          const policy::PermissionSet& permissions) const;
  std::string mintMember(const UserId& user, const SessionId& session, const ProjectId& project, std::string_view role,
                         const policy::PermissionSet& permissions) const;
  std::string mintControl(const UserId& user, const SessionId& session) const;

  // Fails with unauthenticated, for whatever reason, in the same words (an expired one says so).
  Result<AccessToken> verify(std::string_view token) const;

  // {"keys": [JWK, …]} (RFC 7517).
  doc::Document jwks() const;

 private:
  struct Key {
    SigningKey key;
    std::string id;
    std::string header;  // the encoded header of every token that it signs
  };
  std::string mint(TokenKind kind, const UserId& user, const SessionId& session, const ProjectId& project,
                   std::string_view role, const policy::PermissionSet& permissions) const;

  const std::string issuer_;
  const Clock& clock_;
  std::vector<Key> keys_;
  mutable MintedTokens minted_;
};

}  // namespace mb::identity
