// API keys of a project: "mb_sk_<project id>.<secret>", of which only the secret's hash is stored.
#pragma once

#include <string>
#include <vector>

#include "document/shape.h"
#include "identity/identity_deps.h"
#include "identity/tables.h"
#include "policy/caller.h"

namespace mb::identity {

inline constexpr std::string_view kKeyPrefix = "mb_sk_";

struct NewApiKey {
  std::string name;
  std::vector<std::string> scopes;
  std::optional<Timestamp> expiresAt;
  static constexpr auto shape() {
    return doc::shape<NewApiKey>("NewApiKey", doc::field("name", &NewApiKey::name),
                                 doc::field("scopes", &NewApiKey::scopes),
                                 doc::field("expiresAt", &NewApiKey::expiresAt));
  }
};

struct ApiKeyView {
  KeyId id;
  std::string name;
  std::vector<std::string> scopes;
  Timestamp createdAt;
  doc::Nullable<Timestamp> lastUsedAt;
  doc::Nullable<Timestamp> expiresAt;
  static constexpr auto shape() {
    return doc::shape<ApiKeyView>(
        "ApiKey", doc::field("id", &ApiKeyView::id), doc::field("name", &ApiKeyView::name),
        doc::field("scopes", &ApiKeyView::scopes), doc::field("createdAt", &ApiKeyView::createdAt),
        doc::field("lastUsedAt", &ApiKeyView::lastUsedAt), doc::field("expiresAt", &ApiKeyView::expiresAt));
  }
};

// A key and its raw text, which is returned only once.
struct IssuedApiKey {
  ApiKeyView apiKey;
  std::string key;
  static constexpr auto shape() {
    return doc::shape<IssuedApiKey>("IssuedApiKey", doc::field("apiKey", &IssuedApiKey::apiKey),
                                    doc::field("key", &IssuedApiKey::key));
  }
};

// The permissions that scopes grant. Fails with validation at /scopes: empty, an unknown scope, a scope twice, another
// scope besides `service`.
Result<policy::PermissionSet> permissionsOfScopes(const std::vector<std::string>& scopes);

// The parts of a raw key; splitKey() returns nullopt when the text is malformed.
struct KeyParts {
  std::string_view project;
  std::string_view secret;
};
std::optional<KeyParts> splitKey(std::string_view raw);

// Every change of a key's authority bumps the project's epoch.
class ApiKeys {
 public:
  explicit ApiKeys(const IdentityDeps& deps) : deps_(deps) {}

  Task<std::vector<ApiKeyView>> list(store::ProjectNo project);
  // Fails with validation (name, scopes, a past expiresAt), forbidden (scopes that grant permissions that `by` does not
  // hold; a key that outlives the key `by`), conflict (past store::kMaxApiKeys).
  Task<IssuedApiKey> create(snapshot::ProjectInfo project, NewApiKey input, policy::Caller by,
                            store::Deadline deadline);
  // Sets a new secret; the old one is refused from then on. Fails with notFound, forbidden (as create).
  Task<IssuedApiKey> rotate(snapshot::ProjectInfo project, KeyId id, policy::Caller by, store::Deadline deadline);
  Task<> remove(store::ProjectNo project, KeyId id, policy::Caller by, store::Deadline deadline);
  // Records a use; authority does not change, so no epoch is bumped.
  Task<> touch(store::ProjectNo project, KeyId id, store::Deadline deadline);

  // The ApiKeyTable of the snapshot.
  Task<std::shared_ptr<const void>> load(store::ProjectNo project);

 private:
  const IdentityDeps& deps_;
};

// The expiry of the key as stored; nullopt for one without expiry. Fails with unauthenticated if there is no such key.
Task<std::optional<Timestamp>> keyExpiry(store::DocumentStore& store, store::ProjectNo project, std::string id);

}  // namespace mb::identity
