// Access tokens: JWT (RFC 7519) in compact form, ES256 only.
//
// Claims: iss (base URL), aud ("control" | "project"), kind ("user" | "member" | "platform"), sub, sid, iat, exp, and
// on project tokens pid, role, perms (for information: rights are looked up live at each use).
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/crypto.h"
#include "base/id.h"
#include "base/public_key.h"
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

// A key that no longer signs: its public half, for the tokens that it signed.
struct RetiredKey {
  std::string id;
  std::string x;  // 32 bytes each
  std::string y;
  Timestamp until;  // verifies nothing from then on
};

// One key signs; that one and the retired ones verify. Any thread.
class Tokens {
 public:
  Tokens(std::string issuer, const Clock& clock)
      : issuer_(std::move(issuer)), clock_(clock), ring_(std::make_shared<const KeyRing>()) {}

  const std::string& issuer() const { return issuer_; }
  // Replaces all keys atomically. Fails with internal for an invalid retired key.
  Result<> setKeys(SigningKey signer, const std::vector<RetiredKey>& retired);
  // Grows when a key is dropped before its `until`: earlier verifications must be repeated.
  uint64_t drops() const { return drops_.load(std::memory_order_acquire); }

  // Each token is valid for kAccessTokenSeconds. REQUIRES: setKeys() was called.
  std::string mintEndUser(const UserId& user, const SessionId& session, const ProjectId& project, std::string_view role,
                          const policy::PermissionSet& permissions) const;
  std::string mintMember(const UserId& user, const SessionId& session, const ProjectId& project, std::string_view role,
                         const policy::PermissionSet& permissions) const;
  std::string mintControl(const UserId& user, const SessionId& session) const;

  // Fails with unauthenticated, with one message for every reason but expiry.
  Result<AccessToken> verify(std::string_view token) const;

  // {"keys": [JWK, …]} (RFC 7517): all keys that verify now, the one that signs first.
  doc::Document jwks() const;

 private:
  struct Key {
    std::string id;
    std::string x;
    std::string y;
    PublicKey verifier;
    std::string header;  // the encoded header of each token that it signs
    Timestamp until;
  };
  struct KeyRing {
    std::optional<SigningKey> signer;
    std::vector<Key> keys;  // the signer's first
  };
  static Result<Key> keyOf(RetiredKey given);
  std::shared_ptr<const KeyRing> ring() const;
  std::string mint(TokenKind kind, const UserId& user, const SessionId& session, const ProjectId& project,
                   std::string_view role, const policy::PermissionSet& permissions) const;

  const std::string issuer_;
  const Clock& clock_;
  mutable std::mutex mutex_;
  std::shared_ptr<const KeyRing> ring_;
  std::atomic<uint64_t> drops_{0};
  mutable MintedTokens minted_;
};

}  // namespace mb::identity
