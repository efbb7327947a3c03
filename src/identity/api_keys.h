// API keys of a project: "mb_sk_<project id>.<secret>", of which only the secret's hash is stored. Source: contract
// 2.10, 4.5; decisions 8.
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

// A key and its raw text, which is handed out this once.
struct IssuedApiKey {
  ApiKeyView apiKey;
  std::string key;
  static constexpr auto shape() {
    return doc::shape<IssuedApiKey>("IssuedApiKey", doc::field("apiKey", &IssuedApiKey::apiKey),
                                    doc::field("key", &IssuedApiKey::key));
  }
};

// What scopes grant. Fails with validation at /scopes: none, an unknown one, one twice.
Result<policy::PermissionSet> permissionsOfScopes(const std::vector<std::string>& scopes);

// The parts of a raw key, or nullopt when the text does not have its form.
struct KeyParts {
  std::string_view project;
  std::string_view secret;
};
std::optional<KeyParts> splitKey(std::string_view raw);

// Every change of what a key may do bumps the project's epoch.
class ApiKeys {
 public:
  explicit ApiKeys(const IdentityDeps& deps) : deps_(deps) {}

  Task<std::vector<ApiKeyView>> list(store::ProjectNo project);
  // Fails with validation (name, scopes, a past expiresAt), forbidden (scopes that grant what `by` does not hold; a key
  // that outlives the key `by`), conflict (past store::kMaxApiKeys).
  Task<IssuedApiKey> create(snapshot::ProjectInfo project, NewApiKey input, policy::Caller by,
                            store::Deadline deadline);
  // A new secret; the old one is refused from then on. Fails with notFound, forbidden (as create).
  Task<IssuedApiKey> rotate(snapshot::ProjectInfo project, KeyId id, policy::Caller by, store::Deadline deadline);
  Task<> remove(store::ProjectNo project, KeyId id, policy::Caller by, store::Deadline deadline);
  // Notes a use; authority stays as it is, so no epoch moves.
  Task<> touch(store::ProjectNo project, KeyId id, store::Deadline deadline);

  // What the snapshot holds of them.
  Task<std::shared_ptr<const void>> load(store::ProjectNo project);

 private:
  const IdentityDeps& deps_;
};

// When the key ends, as it is now; nullopt for one that does not. Fails with unauthenticated where there is none.
Task<std::optional<Timestamp>> keyExpiry(store::DocumentStore& store, store::ProjectNo project, std::string id);

}  // namespace mb::identity
