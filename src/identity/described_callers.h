// Callers that an administrator describes instead of identifying them, to see what a policy does for them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "identity/tables.h"
#include "identity/tokens.h"
#include "identity/users.h"
#include "policy/caller.h"
#include "policy/required_permission.h"

namespace mb::identity {

// Exactly one of user, role, key, member and anonymous; `uid` and `claims` are of `role`.
struct CallerDescription {
  std::optional<std::string> user;  // an end user, by id
  std::optional<std::string> role;  // any end user with this role
  std::optional<std::string> uid;
  std::optional<doc::Document> claims;
  std::optional<std::string> key;     // an API key, by id
  std::optional<std::string> member;  // a member of the project, by the user's id
  std::optional<bool> anonymous;
  static constexpr auto shape() {
    return doc::shape<CallerDescription>(
        "CallerDescription", doc::field("user", &CallerDescription::user), doc::field("role", &CallerDescription::role),
        doc::field("uid", &CallerDescription::uid), doc::field("claims", &CallerDescription::claims),
        doc::field("key", &CallerDescription::key), doc::field("member", &CallerDescription::member),
        doc::field("anonymous", &CallerDescription::anonymous));
  }
};

// The records that a description may name.
enum class DescribedBy { records, roleOnly };

// The problems of its form, with their pointers below `pointer`.
std::vector<ErrorDetail> descriptionProblems(const CallerDescription& given, DescribedBy by,
                                             const std::string& pointer);
// What the one who describes the caller must hold; nullopt: nothing.
std::optional<policy::RequiredPermission> permissionFor(const CallerDescription& given);

// Any core.
class DescribedCallers {
 public:
  DescribedCallers(const Clock& clock, const Tokens& tokens, Users& users, const IdentitySlots& slots)
      : clock_(clock), tokens_(tokens), users_(users), slots_(slots) {}

  // The caller as the token or key of a request would identify it now. Fails with validation, its path below `pointer`:
  // the form; a user, key, member or role that does not exist, or whose requests are refused (not active, expired).
  Task<policy::Caller> find(snapshot::SnapshotPtr project, CallerDescription given, std::string pointer) const;
  // The same for a description by role, which reads nothing. REQUIRES: it has no problems with DescribedBy::roleOnly.
  Result<policy::Caller> byRole(const snapshot::ProjectSnapshot& project, const CallerDescription& given,
                                const std::string& pointer) const;

 private:
  // The user, if requests of theirs are not refused before any rule.
  Task<UserRecord> activeUser(Realm realm, std::string id, std::string pointer) const;
  // The token of an end user who signs in now.
  AccessToken tokenOf(const snapshot::ProjectSnapshot& project, std::string user) const;

  const Clock& clock_;
  const Tokens& tokens_;
  Users& users_;
  const IdentitySlots& slots_;
};

}  // namespace mb::identity
