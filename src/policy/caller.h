// Who asks. Built by the gates, handed down by reference; there is no "no caller": an anonymous one is a kind of its
// own and holds nothing.
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
  server,    // Manybase itself: expiry, jobs. Only made by code that says so.
};

struct Caller {
  CallerKind kind = CallerKind::anonymous;
  std::string id;         // user_…, key_…; empty for anonymous
  std::string sessionId;  // sess_… of the token, where it has one
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

  bool may(std::string_view permission) const { return permissions->allows(permission); }
  // Whether this caller counts as an admin of `collection` on the data plane (decisions 3, "Policy operation admin").
  bool adminOf(std::string_view collection) const;
};

// How the audit record and the change log name who did it: "user", "member", "apikey", "platform", "server",
// "anonymous".
std::string_view actorKind(CallerKind kind);
store::Actor actorOf(const Caller& caller);

}  // namespace mb::policy
