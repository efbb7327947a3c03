#include "identity/api_keys.h"

#include <algorithm>

#include "identity/audited_write.h"
#include "identity/records.h"
#include "store/record_pages.h"

namespace mb::identity {

namespace {

constexpr size_t kSecretBytes = 32;
constexpr size_t kMaxKeyName = 100;

struct Scope {
  std::string_view name;
  std::vector<std::string> permissions;
};

const std::vector<Scope>& scopes() {
  static const std::vector<Scope> kScopes = {
      {"read", {"data:*:read", "data:*:list"}},
      {"write", {"data:*:create", "data:*:update", "data:*:delete"}},
      {"admin", {"*"}},
      {"storage", {"storage:read", "storage:write"}},
      {"functions", {"functions:invoke"}},
      {policy::kServiceScope, {"data:*", "storage:*", "functions:invoke"}},
  };
  return kScopes;
}

struct ApiKeyRecord {
  KeyId id;
  std::string name;
  std::vector<std::string> scopes;
  std::string hash;  // sha256 of the secret, hex
  Timestamp createdAt;
  std::optional<Timestamp> lastUsedAt;
  std::optional<Timestamp> expiresAt;
  static constexpr auto shape() {
    return doc::shape<ApiKeyRecord>(
        "ApiKeyRecord", doc::field("id", &ApiKeyRecord::id), doc::field("name", &ApiKeyRecord::name),
        doc::field("scopes", &ApiKeyRecord::scopes), doc::field("hash", &ApiKeyRecord::hash),
        doc::field("createdAt", &ApiKeyRecord::createdAt), doc::field("lastUsedAt", &ApiKeyRecord::lastUsedAt),
        doc::field("expiresAt", &ApiKeyRecord::expiresAt));
  }
};

Error noSuchKey() {
  return Error(ErrorCode::notFound, "no such API key");
}

ApiKeyView viewOf(const ApiKeyRecord& record) {
  return {record.id, record.name, record.scopes, record.createdAt, {record.lastUsedAt}, {record.expiresAt}};
}

Result<> mayIssue(const policy::Caller& by, const std::vector<std::string>& scopeNames) {
  TRY(const policy::PermissionSet granted, permissionsOfScopes(scopeNames));
  if (by.permissions->includes(granted)) return {};
  return fail(ErrorCode::forbidden, "a key cannot hold permissions that you do not hold");
}

std::string rawKey(const ProjectId& project, std::string_view secret) {
  return std::string(kKeyPrefix) + project.str() + "." + std::string(secret);
}

Result<ApiKeyRecord> existing(const std::optional<doc::Document>& stored) {
  if (!stored) return fail(noSuchKey());
  return fromStore<ApiKeyRecord>(stored->view());
}

// The key that issues another one, held by that write; empty where the caller is not a key. Without this a key that
// expires, or has leaked and is about to be revoked, could leave behind a key that outlives it.
class IssuingKey {
 public:
  IssuingKey(store::ProjectNo project, const policy::Caller& by, store::Write& write) {
    if (by.kind == policy::CallerKind::apiKey) own_ = write.hold(collectionOf(project, kApiKeys), by.id);
  }
  // In the write callback. Fails with forbidden where the issued key would outlive this one.
  Result<> check(const store::PreImages& before, const std::optional<Timestamp>& expiresAt) const {
    if (!own_) return {};
    TRY(const std::optional<ApiKeyRecord> own, fromStore<ApiKeyRecord>(before[*own_]));
    if (!own) return fail(ErrorCode::forbidden, "the key of this request was deleted");
    if (!own->expiresAt || (expiresAt && *expiresAt <= *own->expiresAt)) return {};
    return fail(ErrorCode::forbidden,
                "a key cannot outlive the key that creates or rotates it: give expiresAt, at most that of the key of "
                "this request, or rotate it as a member");
  }

 private:
  std::optional<store::Target> own_;
};

// An audited write of a key. The audit entry has its scopes, never the key.
store::Write keyWrite(const IdentityDeps& deps, store::ProjectNo project, const KeyId& id, std::string action,
                      const policy::Caller& by, store::Deadline deadline, doc::Document details = {}) {
  return auditedWrite(deps.auditor, project, by, deadline,
                      {std::move(action), "api-keys/" + id.str(), std::move(details)});
}

// sha256 as raw bytes, from its hex form.
std::string bytesOf(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string out;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) out += static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1]));
  return out;
}

}  // namespace

Result<policy::PermissionSet> permissionsOfScopes(const std::vector<std::string>& names) {
  if (names.empty()) return fail(invalid("/scopes", "must name at least one scope"));
  std::vector<std::string> permissions;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string path = "/scopes/" + std::to_string(i);
    const auto scope =
        std::find_if(scopes().begin(), scopes().end(), [&](const Scope& known) { return known.name == names[i]; });
    if (scope == scopes().end()) {
      return fail(invalid(path, "must be read, write, admin, storage, functions or service"));
    }
    if (std::find(names.begin(), names.begin() + static_cast<ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<ptrdiff_t>(i)) {
      return fail(invalid(path, "is named twice"));
    }
    // Other scopes would be limits that the key does not have, or open routes that it must not reach.
    if (names[i] == policy::kServiceScope && names.size() > 1) {
      return fail(invalid(path, "must be the only scope of a key: create another key for the others"));
    }
    permissions.insert(permissions.end(), scope->permissions.begin(), scope->permissions.end());
  }
  return policy::PermissionSet(std::move(permissions));
}

std::optional<KeyParts> splitKey(std::string_view raw) {
  if (!raw.starts_with(kKeyPrefix) || raw.size() > 256) return std::nullopt;
  raw.remove_prefix(kKeyPrefix.size());
  const size_t dot = raw.find('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == raw.size()) return std::nullopt;
  const KeyParts parts{raw.substr(0, dot), raw.substr(dot + 1)};
  if (!isId(ProjectTag::prefix, parts.project)) return std::nullopt;
  return parts;
}

Task<std::vector<ApiKeyView>> ApiKeys::list(store::ProjectNo project) {
  CO_TRY(const std::vector<doc::Document> stored,
         co_await store::allRecords(deps_.store, collectionOf(project, kApiKeys)));
  CO_TRY(const std::vector<ApiKeyRecord> records, fromStore<ApiKeyRecord>(stored));
  std::vector<ApiKeyView> keys;
  keys.reserve(records.size());
  for (const ApiKeyRecord& record : records) keys.push_back(viewOf(record));
  co_return keys;
}

Task<IssuedApiKey> ApiKeys::create(snapshot::ProjectInfo project, NewApiKey input, policy::Caller by,
                                   store::Deadline deadline) {
  ApiKeyRecord record;
  CO_TRY(record.name, checkDisplayName(input.name, "/name", kMaxKeyName));
  CO_RETURN_IF_ERROR(mayIssue(by, input.scopes));
  record.createdAt = deps_.clock.now();
  if (input.expiresAt && *input.expiresAt <= record.createdAt) {
    co_return fail(invalid("/expiresAt", "must be in the future"));
  }
  const store::CollectionRef collection = collectionOf(project.number, kApiKeys);
  const std::string secret = randomToken(kSecretBytes);
  record.id = deps_.ids.next<KeyTag>();
  record.scopes = std::move(input.scopes);
  record.expiresAt = input.expiresAt;
  record.hash = toHex(sha256(secret));
  doc::BsonWriter details;
  details.appendString("name", record.name);
  doc::encodeValue(details, "scopes", record.scopes);
  store::Write write = keyWrite(deps_, project.number, record.id, "key.created", by, deadline, details.finish());
  const store::Target target = write.create(collection, record.id.str());
  const IssuingKey issuer(project.number, by, write);
  CO_RETURN_IF_ERROR(
      co_await deps_.store.write(std::move(write),
                                 [&record = std::as_const(record), target, issuer](
                                     const store::PreImages& before, store::Changes& changes) -> Result<> {
                                   RETURN_IF_ERROR(issuer.check(before, record.expiresAt));
                                   changes.put(target, doc::encode(record));
                                   return {};
                                 }));
  co_return IssuedApiKey{viewOf(record), rawKey(project.id, secret)};
}

Task<IssuedApiKey> ApiKeys::rotate(snapshot::ProjectInfo project, KeyId id, policy::Caller by,
                                   store::Deadline deadline) {
  if (!isId(KeyTag::prefix, id.str())) co_return fail(noSuchKey());
  const std::string secret = randomToken(kSecretBytes);
  store::Write write = keyWrite(deps_, project.number, id, "key.rotated", by, deadline);
  const store::Target target = write.change(targetOf(project.number, kApiKeys, id.str()));
  const IssuingKey issuer(project.number, by, write);
  CO_TRY(const ApiKeyRecord rotated,
         co_await store::writeReturning(
             deps_.store, std::move(write),
             [&by = std::as_const(by), hash = toHex(sha256(secret)), target, issuer](
                 const store::PreImages& before, store::Changes& changes) -> Result<ApiKeyRecord> {
               TRY(ApiKeyRecord record, existing(before[target]));
               RETURN_IF_ERROR(mayIssue(by, record.scopes));
               RETURN_IF_ERROR(issuer.check(before, record.expiresAt));
               record.hash = hash;
               changes.put(target, doc::encode(record));
               return record;
             }));
  co_return IssuedApiKey{viewOf(rotated), rawKey(project.id, secret)};
}

Task<> ApiKeys::remove(store::ProjectNo project, KeyId id, policy::Caller by, store::Deadline deadline) {
  if (!isId(KeyTag::prefix, id.str())) co_return fail(noSuchKey());
  store::Write write = keyWrite(deps_, project, id, "key.revoked", by, deadline);
  const store::Target target = write.change(targetOf(project, kApiKeys, id.str()));
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write), [target](const store::PreImages& before, store::Changes& changes) -> Result<> {
        if (!before[target]) return fail(noSuchKey());
        changes.remove(target);
        return {};
      }));
  co_return Result<>();
}

Task<> ApiKeys::touch(store::ProjectNo project, KeyId id, store::Deadline deadline) {
  store::Write write({.deadline = deadline, .actor = {store::ActorKind::apikey, id.str()}, .bumpEpochs = {}});
  const store::Target target = write.change(targetOf(project, kApiKeys, id.str()));
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write),
      [target, now = deps_.clock.now()](const store::PreImages& before, store::Changes& changes) -> Result<> {
        TRY(ApiKeyRecord record, existing(before[target]));
        record.lastUsedAt = now;
        changes.put(target, doc::encode(record));
        return {};
      }));
  co_return Result<>();
}

Task<std::shared_ptr<const void>> ApiKeys::load(store::ProjectNo project) {
  auto table = std::make_shared<ApiKeyTable>();
  CO_TRY(const std::vector<doc::Document> stored,
         co_await store::allRecords(deps_.store, collectionOf(project, kApiKeys)));
  CO_TRY(std::vector<ApiKeyRecord> records, fromStore<ApiKeyRecord>(stored));
  for (ApiKeyRecord& record : records) {
    CO_TRY(policy::PermissionSet permissions, permissionsOfScopes(record.scopes));
    std::string hash = bytesOf(record.hash);
    ApiKeyTable::Key key{record.id.str(), hash, std::move(record.scopes),
                         std::make_shared<const policy::PermissionSet>(std::move(permissions)), record.expiresAt};
    table->byHash.insert_or_assign(std::move(hash), std::move(key));
  }
  co_return std::shared_ptr<const void>(std::move(table));
}

Task<std::optional<Timestamp>> keyExpiry(store::DocumentStore& store, store::ProjectNo project, std::string id) {
  CO_TRY(const std::optional<doc::Document> stored, co_await store.get(collectionOf(project, kApiKeys), std::move(id)));
  if (!stored) co_return fail(ErrorCode::unauthenticated, "the API key was deleted");
  CO_TRY(const ApiKeyRecord record, fromStore<ApiKeyRecord>(stored->view()));
  co_return record.expiresAt;
}

}  // namespace mb::identity
