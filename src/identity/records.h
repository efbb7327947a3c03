// The collections of identity's records, and helpers to read them. Private to identity/.
#pragma once

#include <optional>
#include <string_view>

#include "audit/audit.h"
#include "base/text.h"
#include "document/shape.h"
#include "identity/realm.h"
#include "policy/caller.h"
#include "store/record_query.h"
#include "store/records.h"
#include "store/store.h"

namespace mb::identity {

// Numbers 10 to 29 of the system collections belong to this module; kUsers is in realm.h.
inline constexpr store::CollectionNo kSessions = 11;
inline constexpr store::CollectionNo kMemberRoles = 12;
inline constexpr store::CollectionNo kEndUserRoles = 13;
inline constexpr store::CollectionNo kApiKeys = 14;
inline constexpr store::CollectionNo kSigningKeys = 15;  // in the control project only
inline constexpr store::CollectionNo kChallenges = 16;
inline constexpr store::CollectionNo kSecondFactors = 17;
inline constexpr store::CollectionNo kIdentities = 18;
inline constexpr store::CollectionNo kOauthConfig = 19;
inline constexpr store::CollectionNo kOneTimeTokens = 20;

inline constexpr uint64_t kPage = 1000;

inline store::CollectionRef collectionOf(store::ProjectNo project, store::CollectionNo number) {
  return {project, number, 0};
}
inline store::WriteTarget targetOf(store::ProjectNo project, store::CollectionNo number, std::string id) {
  return {collectionOf(project, number), std::move(id)};
}

using store::fromStore;
using store::queryOf;
using store::readDeadline;

// The key that attempts on an address are counted under. Its size does not depend on the address that was sent.
std::string accountOf(const Realm& realm, std::string_view emailKey);

audit::AuditActor auditActorOf(const policy::Caller& caller);

// 1 to `max` characters (code points) after trimming, no control characters; the trimmed text. Fails with validation at
// `path`.
Result<std::string> checkDisplayName(std::string_view name, std::string_view path, size_t max);
// "^[A-Za-z][A-Za-z0-9_-]{0,63}$"
bool isName(std::string_view name);
// Whether `text` has the prefix and roughly the form of an IdGenerator's id. Other texts cannot be an id, and are never
// looked up in the store.
bool isId(std::string_view prefix, std::string_view text);
Error invalid(std::string path, std::string message);

}  // namespace mb::identity
