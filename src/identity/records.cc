#include "identity/records.h"

#include <algorithm>

#include "base/text.h"
#include "identity/identity.h"
#include "identity/user_names.h"
#include "store/configuration_limits.h"

namespace mb::identity {

namespace {

store::IndexSpec indexOn(std::string name, std::vector<store::IndexKey> keys, bool unique) {
  return {.name = std::move(name),
          .keys = std::move(keys),
          .unique = unique,
          .partialFilter = std::nullopt,
          .expireAfterSeconds = std::nullopt};
}

store::IndexSpec sparse(store::IndexSpec index) {
  index.sparse = true;
  return index;
}

bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

// The limits of a project's configuration refer to these numbers.
static_assert(store::isConfigurationPart(kMemberRoles, "roles"));
static_assert(store::isConfigurationPart(kEndUserRoles, "end-user roles"));
static_assert(store::isConfigurationPart(kApiKeys, "API keys"));
static_assert(store::isConfigurationPart(kOauthConfig, "sign-in providers"));

std::vector<store::SystemCollection> systemCollections() {
  return {
      {.number = kUsers,
       .name = "__users",
       .indexes = {indexOn("emailKey_1", {{"emailKey", 1}}, true), indexOn("role_1", {{"metadata.role", 1}}, false),
                   sparse(indexOn("platformRole_1", {{"platformRole", 1}}, false)),
                   indexOn("nameKey_1", {{"nameKey", 1}}, false), indexOn("status_1", {{"status", 1}}, false),
                   indexOn("createdAt_1", {{"createdAt", 1}}, false),
                   indexOn("updatedAt_1", {{"updatedAt", 1}}, false)},
       .marked = {"id"},
       .upgrade = upgradedUser},
      {kSessions,
       "__sessions",
       {indexOn("tokenHash_1", {{"tokenHash", 1}}, true), indexOn("userId_1", {{"userId", 1}}, false)}},
      {kMemberRoles, "__roles", {}},
      {kEndUserRoles, "__enduser_roles", {}},
      {kApiKeys, "__api_keys", {indexOn("hash_1", {{"hash", 1}}, true)}},
      {kSigningKeys, "__signing_keys", {}},
      {kChallenges,
       "__challenges",
       {indexOn("expiresAt_1", {{"expiresAt", 1}}, false), indexOn("userId_1", {{"userId", 1}}, false)}},
      {kSecondFactors, "__second_factors", {}},
      {kIdentities, "__identities", {indexOn("userId_1", {{"userId", 1}}, false)}},
      {kOauthConfig, "__oauth_config", {}},
      {kOneTimeTokens, "__one_time_tokens", {}},
  };
}

std::string accountOf(const Realm& realm, std::string_view emailKey) {
  return std::to_string(realm.project) + "|" + toHex(sha256(emailKey));
}

audit::AuditActor auditActorOf(const policy::Caller& caller) {
  return {std::string(actorKind(caller.kind)), caller.id,
          caller.email.empty() ? std::nullopt : std::optional(caller.email)};
}

Result<std::string> checkDisplayName(std::string_view name, std::string_view path, size_t max) {
  const std::string_view text = trimmed(name);
  const bool control =
      std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
  if (text.empty() || control || codePoints(text) > max) {
    return fail(invalid(std::string(path), "must have 1 to " + std::to_string(max) + " characters"));
  }
  return std::string(text);
}

bool isName(std::string_view name) {
  if (name.empty() || name.size() > 64 || !isLetter(name.front())) return false;
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return isLetter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; });
}

bool isId(std::string_view prefix, std::string_view text) {
  if (!text.starts_with(prefix) || text.size() > 64) return false;
  text.remove_prefix(prefix.size());
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return isLetter(c) || (c >= '0' && c <= '9'); });
}

Error invalid(std::string path, std::string message) {
  std::string whole = path + " " + message;
  return Error(ErrorCode::validation, std::move(whole)).withDetail(std::move(path), std::move(message));
}

}  // namespace mb::identity
