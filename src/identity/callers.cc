#include "identity/callers.h"

#include "identity/project_settings.h"

namespace mb::identity {
namespace {

// A pointer with a reference count of its own: all cores share the snapshot's, and would contend for it at each
// request.
policy::PermissionsPtr ownPointer(policy::PermissionsPtr shared) {
  const policy::PermissionSet* raw = shared.get();
  return {raw, [shared = std::move(shared)](const policy::PermissionSet*) {}};
}

template <class Table>
policy::PermissionsPtr permissionsOf(const Table& roles, std::string_view role) {
  const auto found = roles.find(role);
  return found == roles.end() ? std::make_shared<const policy::PermissionSet>() : ownPointer(found->second);
}

policy::Caller callerOf(const snapshot::ProjectSnapshot& project, policy::CallerKind kind, std::string id,
                        std::string role) {
  policy::Caller caller;
  caller.kind = kind;
  caller.id = std::move(id);
  caller.project = project.info().number;
  caller.projectId = project.info().id;
  caller.role = std::move(role);
  return caller;
}

// The claims that policies read as $auth.token.<claim>: those of the token, of the user, and the project's own, which
// are read from the user's record so that a change of it is live.
doc::Document claimsFor(const AccessToken& token, const UserRecord& user, std::string_view role,
                        std::string_view issuer, const snapshot::ProjectInfo& project) {
  doc::BsonWriter out;
  appendTokenClaims(out, token, role, issuer);
  out.appendString("email", user.email);
  out.appendBool("emailVerified", user.emailVerified);
  doc::encodeValue(out, "name", user.name);
  appendClaims(out, tokenClaimsOf(project), user.metadata);
  return out.finish();
}

}  // namespace

void appendTokenClaims(doc::BsonWriter& out, const AccessToken& token, std::string_view role, std::string_view issuer,
                       doc::DocumentView given) {
  constexpr int64_t kMsPerSecond = 1000;
  const auto text = [&](std::string_view name, std::string_view value) {
    if (!given.find(name)) out.appendString(name, value);
  };
  const auto time = [&](std::string_view name, Timestamp value) {
    if (!given.find(name)) out.appendInteger(name, value.ms / kMsPerSecond);
  };
  text("iss", issuer);
  text("aud", "project");
  text("sub", token.user.str());
  text("sid", token.session.str());
  text("pid", token.project.str());
  text("role", role);
  time("iat", token.issuedAt);
  time("exp", token.expiresAt);
}

policy::Caller endUserCaller(const snapshot::ProjectSnapshot& project, const IdentitySlots& slots,
                             const UserRecord& user, const AccessToken& token, std::string_view issuer) {
  policy::Caller caller = endUserCaller(project, slots, user.id.str(), roleOf(user));
  caller.sessionId = token.session.str();
  caller.claims = claimsFor(token, user, caller.role, issuer, project.info());
  caller.email = user.email;
  return caller;
}

policy::Caller endUserCaller(const snapshot::ProjectSnapshot& project, const IdentitySlots& slots, std::string id,
                             std::string role) {
  policy::Caller caller = callerOf(project, policy::CallerKind::endUser, std::move(id), std::move(role));
  caller.permissions = permissionsOf(project.get(slots.roles).endUser, caller.role);
  return caller;
}

policy::Caller memberCaller(const snapshot::ProjectSnapshot& project, const IdentitySlots& slots, std::string userId,
                            std::string role) {
  policy::Caller caller = callerOf(project, policy::CallerKind::member, std::move(userId), std::move(role));
  caller.permissions = permissionsOf(project.get(slots.roles).member, caller.role);
  return caller;
}

policy::Caller keyCaller(const snapshot::ProjectSnapshot& project, const ApiKeyTable::Key& key) {
  policy::Caller caller = callerOf(project, policy::CallerKind::apiKey, key.id, "apikey");
  caller.permissions = ownPointer(key.permissions);
  caller.scopes = key.scopes;
  return caller;
}

policy::Caller anonymousCaller(const snapshot::ProjectSnapshot& project) {
  return callerOf(project, policy::CallerKind::anonymous, "", "");
}

}  // namespace mb::identity
