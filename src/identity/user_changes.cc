// Changes of users by admins.
#include "identity/email.h"
#include "identity/records.h"
#include "identity/role_grant.h"
#include "identity/user_names.h"
#include "identity/user_write.h"
#include "identity/users.h"

namespace mb::identity {

namespace {

constexpr size_t kMaxChangedName = 200;
constexpr size_t kMaxMetadataBytes = 16 << 10;
constexpr size_t kMaxRoleName = 64;

Result<> checkMetadata(doc::DocumentView metadata) {
  if (metadata.bytes().size() > kMaxMetadataBytes) return fail(invalid("/metadata", "must have at most 16 KiB"));
  const auto role = metadata.find("role");
  if (!role) return {};
  if (role->type() != doc::BsonType::string || role->asString().empty() || role->asString().size() > kMaxRoleName) {
    return fail(invalid("/metadata/role", "must be the name of a role"));
  }
  return {};
}

// The role that a patch names, whether or not the user has it already; "" without one.
std::string wantedRole(const UserPatch& patch) {
  const auto role = patch.metadata ? patch.metadata->view().find("role") : std::nullopt;
  return role && role->type() == doc::BsonType::string ? std::string(role->asString()) : "";
}

// The names of the changed fields. The new values are personal data and left out, but for the role.
doc::Document detailsOf(const UserPatch& patch) {
  doc::BsonWriter out;
  out.beginArray("fields");
  size_t count = 0;
  const auto add = [&](bool given, std::string_view field) {
    if (given) out.appendString(doc::arrayKey(count++), field);
  };
  add(patch.email.has_value(), "email");
  add(patch.emailVerified.has_value(), "emailVerified");
  add(patch.name.given(), "name");
  add(patch.metadata.has_value(), "metadata");
  out.end();
  if (const std::string role = wantedRole(patch); !role.empty() && role.size() <= kMaxRoleName) {
    out.appendString("role", role);
  }
  return out.finish();
}

Result<> apply(UserRecord& user, const UserPatch& patch) {
  if (patch.email) {
    TRY(Email email, parseEmail(*patch.email));
    if (email.key != emailKey(user.email)) user.emailVerified = false;
    user.email = std::move(email.text);
    user.emailKey = std::move(email.key);
  }
  if (patch.emailVerified) user.emailVerified = *patch.emailVerified;
  if (patch.name.given()) {
    doc::Nullable<std::string> name;
    if (patch.name.state == doc::Patch<std::string>::State::value) {
      TRY(name.value, checkDisplayName(patch.name.value, "/name", kMaxChangedName));
    }
    setName(user, std::move(name));
  }
  if (patch.metadata) {
    RETURN_IF_ERROR(checkMetadata(*patch.metadata));
    user.metadata = *patch.metadata;
  }
  return {};
}

struct StatusChange {
  std::string_view status;
  std::string_view action;
};

StatusChange changeTo(UserStatus status) {
  switch (status) {
    case UserStatus::active:
      return {kStatusActive, "user.activate"};
    case UserStatus::inactive:
      return {kStatusInactive, "user.deactivate"};
    case UserStatus::blocked:
      return {kStatusBlocked, "user.block"};
  }
  return {};
}

}  // namespace

Task<> Users::patch(Realm realm, UserId id, UserPatch input, policy::Caller by, store::Deadline deadline) {
  if (!isId(UserTag::prefix, id.str())) co_return fail(ErrorCode::notFound, "no such user");
  UserWrite write;
  write.check = UserWriteCheck::ifAccessChanges;
  write.entries = deps_.auditor.entry(realm.project, "user.changed", auditActorOf(by), "users/" + id.str(), by.ip,
                                      by.requestId, detailsOf(input));
  write.addTo = [project = realm.project, input = std::move(input), own = by.permissions,
                 now = deps_.clock.now()](store::Write& to) -> UserChange {
    std::optional<store::Target> role;
    if (auto record = roleTarget(project, RoleKind::endUser, wantedRole(input))) role = to.change(*std::move(record));
    return
        [role, input, own, now](UserRecord& user, const store::PreImages& before, store::Changes& changes) -> Result<> {
          const std::string held = roleOf(user);
          RETURN_IF_ERROR(apply(user, input));
          user.updatedAt = now;
          if (!role || roleOf(user) == held) return {};
          // A caller cannot grant permissions that it does not hold, through a role either.
          TRY(std::optional<store::Change> granted, grantRole(before[*role], roleOf(user), *own));
          if (granted) changes.set(*role, *std::move(granted));
          return {};
        };
  };
  auto done = co_await writeUser(deps_, std::move(realm), std::move(id), std::move(write), std::move(by), deadline);
  if (!done && store::indexViolation(done.error())) co_return fail(emailTaken());
  co_return done;
}

Task<> Users::setStatus(Realm realm, UserId id, UserStatus status, policy::Caller by, store::Deadline deadline) {
  if (!isId(UserTag::prefix, id.str())) co_return fail(ErrorCode::notFound, "no such user");
  const StatusChange change = changeTo(status);
  UserWrite write;
  write.entries = deps_.auditor.entry(realm.project, std::string(change.action), auditActorOf(by), "users/" + id.str(),
                                      by.ip, by.requestId);
  write.addTo = [text = change.status, now = deps_.clock.now()](store::Write&) -> UserChange {
    return [text, now](UserRecord& user, const store::PreImages&, store::Changes&) -> Result<> {
      user.status = std::string(text);
      user.updatedAt = now;
      return {};
    };
  };
  co_return co_await writeUser(deps_, std::move(realm), std::move(id), std::move(write), std::move(by), deadline);
}

}  // namespace mb::identity
