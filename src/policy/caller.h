// A Caller is the author of a request, with its permissions. Built by identity/ from credentials, passed by reference.
// A request without credentials has a caller of kind anonymous, which has no permissions.
#pragma once

#include <optional>
#include <string>

#include "base/id.h"
#include "document/bson.h"
#include "policy/permissions.h"
#include "store/store.h"

namespace mb::policy {

enum class CallerKind {
  anonymous,
  endUser,  // an end user of the project
  member,   // a platform user with a project token
  apiKey,
  platform,  // a platform user with a control token
  server,    // Manybase itself: expiry, jobs. Never built from a request.
};

// The scope of keys that policies and rules of buckets do not apply to. A key has it alone.
inline constexpr std::string_view kServiceScope = "service";

struct Caller {
  CallerKind kind = CallerKind::anonymous;
  std::string id;         // user_…, key_…; empty for anonymous
  std::string sessionId;  // sess_… of the token, if it has one
  store::ProjectNo project = 0;
  ProjectId projectId;
  std::string role;  // $auth.role: end-user role, member role, "apikey"
  PermissionsPtr permissions = std::make_shared<const PermissionSet>();
  doc::Document claims;             // $auth.token.*: of an end user's token; empty for keys and members
  std::string email;                // for audit entries
  bool superAdmin = false;          // of a platform user
  std::vector<std::string> scopes;  // of an API key
  // For audit and rate limits.
  std::string ip;
  std::string requestId;
  std::string trace;  // the request's trace context (base/trace_context.h), or ""

  bool may(std::string_view permission) const { return permissions->allows(permission); }
  // Whether an API key has the scope, by itself or by a wider one. False for other callers.
  bool hasScope(std::string_view scope) const;
  // Whether neither policies nor rules of buckets apply to this caller: a key of scope `service`. Permissions do.
  bool bypassesPolicies() const;
  // Whether a wildcard makes this caller an admin of collections; otherwise only data:<collection>:admin itself does.
  bool isAdminByWildcard() const;
  // Whether this caller is an admin of `collection` on the data plane: the policy's admin rule applies to it.
  bool adminOf(std::string_view collection) const;
};

store::ActorKind actorKindOf(CallerKind kind);
// Its name, as in audit entries.
std::string_view actorKind(CallerKind kind);
store::Actor actorOf(const Caller& caller);

}  // namespace mb::policy
