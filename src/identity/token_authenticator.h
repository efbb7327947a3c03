// The Authenticator of this module. Private to identity/.
#pragma once

#include <memory>
#include <vector>

#include "base/lru_cache.h"
#include "base/task_group.h"
#include "identity/api_keys.h"
#include "identity/authenticator.h"
#include "identity/identity_deps.h"
#include "identity/sessions.h"
#include "identity/tables.h"
#include "identity/tokens.h"
#include "identity/users.h"

namespace mb::identity {

class TokenAuthenticator final : public Authenticator {
 public:
  TokenAuthenticator(const IdentityDeps& deps, const Tokens& tokens, Users& users, Sessions& sessions, ApiKeys& keys,
                     const IdentitySlots& slots, TaskGroup& background);

  Task<Identified> project(std::string token) override;
  Task<Identified> control(std::string token) override;
  std::optional<Identified> cachedProject(std::string_view token) override;
  AuthState authState(store::ProjectNo project) const override;

 private:
  // A verified token and its caller, valid while the epochs are unchanged and the session lives.
  struct Entry {
    AccessToken token;  // of a JWT; without its permissions
    policy::Caller caller;
    CallerValidity validity;  // its `drops` as read before the signature was checked
    int64_t notedMs = 0;      // of a key: when its use was last recorded
  };
  // Hashes the end of the token only: it is part of a signature or a secret, so practically random. Each request looks
  // its token up.
  struct TokenHash {
    using is_transparent = void;
    size_t operator()(std::string_view token) const {
      return std::hash<std::string_view>()(token.substr(token.size() - std::min<size_t>(token.size(), 16)));
    }
  };
  using Cache = LruCache<Entry, TokenHash>;

  // Null on a thread that is not a core's.
  Cache* cache();
  Entry* find(std::string_view token);
  // Puts the entry into this core's cache and returns its caller; `project` is null on the control plane.
  Identified remember(std::string token, Entry entry, snapshot::SnapshotPtr project);
  // The claims, from the cache or by checking the signature.
  Result<AccessToken> claimsOf(std::string_view token);
  // Whether a cached entry's signature is still valid: no key was dropped since it was checked.
  bool signatureHolds(const Entry& entry) const { return entry.validity.drops == tokens_.drops(); }
  // Fails with notFound for a deleted project.
  Task<snapshot::SnapshotPtr> snapshotOf(std::string project);
  // The state that a JWT of a user of `home` depends on, without the project's epoch. Call before the reads of session
  // and user, so that a change in between is noticed.
  CallerValidity validityOf(store::ProjectNo home, const AccessToken& claims, uint64_t drops) const;
  // The user, if the session lives and the user is active; else fails with unauthenticated.
  Task<UserRecord> liveUser(Realm realm, UserId user, SessionId session);

  Task<Identified> byKey(std::string token);
  // `drops`: Tokens::drops() as read before the claims were checked.
  Task<Identified> endUser(std::string token, AccessToken claims, snapshot::SnapshotPtr project, uint64_t drops);
  Task<Identified> member(std::string token, AccessToken claims, snapshot::SnapshotPtr project, uint64_t drops);
  Async<void> noteUse(store::ProjectNo project, KeyId key);

  const IdentityDeps& deps_;
  const Tokens& tokens_;
  Users& users_;
  Sessions& sessions_;
  ApiKeys& keys_;
  const IdentitySlots& slots_;
  TaskGroup& background_;
  std::vector<std::unique_ptr<Cache>> caches_;
};

}  // namespace mb::identity
