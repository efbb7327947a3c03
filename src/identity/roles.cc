#include "identity/roles.h"

#include <algorithm>

#include "identity/audited_write.h"
#include "identity/role_record.h"
#include "store/record_pages.h"
#include "store/retry.h"

namespace mb::identity {

namespace {

constexpr size_t kMaxPermissions = 100;
// Access tokens contain the permissions, and request heads of at most 16 KiB contain the tokens.
constexpr size_t kMaxPermissionBytes = 4096;
constexpr int kRemoveAttempts = 3;

Error noSuchRole() {
  return Error(ErrorCode::notFound, "no such role");
}

Result<> checkPermissions(const std::vector<std::string>& permissions) {
  if (permissions.size() > kMaxPermissions) return fail(invalid("/permissions", "must have at most 100 entries"));
  size_t bytes = 0;
  std::vector<ErrorDetail> problems;
  for (size_t i = 0; i < permissions.size(); ++i) {
    bytes += permissions[i].size();
    const auto checked = policy::checkPermission(permissions[i]);
    if (!checked) problems.push_back({"/permissions/" + std::to_string(i), checked.error().message()});
  }
  if (bytes > kMaxPermissionBytes) return fail(invalid("/permissions", "must have at most 4096 characters in all"));
  if (problems.empty()) return {};
  std::string message = problems.front().path + ": " + problems.front().message;
  return fail(Error(ErrorCode::validation, std::move(message)).withDetails(std::move(problems)));
}

Result<> mayGrant(const policy::Caller& by, const std::vector<std::string>& permissions) {
  if (by.permissions->includes(policy::PermissionSet(permissions))) return {};
  return fail(ErrorCode::forbidden, "a role cannot hold permissions that you do not hold");
}

// The custom role `name` from its stored record.
Result<RoleRecord> existing(const std::optional<doc::Document>& stored, std::string_view name) {
  if (!stored) return fail(noSuchRole());
  TRY(RoleRecord record, fromStore<RoleRecord>(stored->view()));
  if (record.name != name) return fail(noSuchRole());
  return record;
}

// A write about a role, audited.
store::Write roleWrite(const IdentityDeps& deps, store::ProjectNo project, RoleKind kind, const std::string& name,
                       std::string action, const policy::Caller& by, store::Deadline deadline,
                       const std::vector<std::string>* permissions = nullptr) {
  doc::BsonWriter details;
  if (permissions) doc::encodeValue(details, "permissions", *permissions);
  return auditedWrite(
      deps.auditor, project, by, deadline,
      {std::move(action), (kind == RoleKind::member ? "roles/" : "enduser-roles/") + name, details.finish()});
}

void addTo(std::map<std::string, policy::PermissionsPtr, std::less<>>& table, const std::string& name,
           std::vector<std::string> permissions) {
  table[name] = std::make_shared<const policy::PermissionSet>(std::move(permissions));
}

}  // namespace

bool isBuiltInRole(RoleKind kind, std::string_view name) {
  return std::ranges::any_of(builtInRoles(kind),
                             [&](const RoleView& role) { return lowerAscii(role.name) == lowerAscii(name); });
}

Result<> Roles::check(RoleKind kind, const NewRole& role) {
  if (!isName(role.name)) {
    return fail(invalid("/name", "must be a letter, then at most 63 letters, digits, hyphens or underscores"));
  }
  if (isBuiltInRole(kind, role.name)) return fail(ErrorCode::conflict, "there is a built-in role of this name");
  return checkPermissions(role.permissions);
}

Task<std::vector<RoleView>> Roles::list(store::ProjectNo project, RoleKind kind) {
  CO_TRY(const std::vector<doc::Document> stored,
         co_await store::allRecords(deps_.store, collectionOf(project, roleCollection(kind))));
  CO_TRY(std::vector<RoleRecord> records, fromStore<RoleRecord>(stored));
  std::vector<RoleView> roles = builtInRoles(kind);
  for (RoleRecord& record : records) roles.push_back({std::move(record.name), std::move(record.permissions), false});
  co_return roles;
}

Task<RoleView> Roles::get(store::ProjectNo project, RoleKind kind, std::string name) {
  for (const RoleView& role : builtInRoles(kind)) {
    if (role.name == name) co_return role;
  }
  if (!isName(name)) co_return fail(noSuchRole());
  CO_TRY(const std::optional<doc::Document> stored,
         co_await deps_.store.get(collectionOf(project, roleCollection(kind)), lowerAscii(name)));
  CO_TRY(std::optional<RoleRecord> record, fromStore<RoleRecord>(stored));
  if (!record || record->name != name) co_return fail(noSuchRole());
  co_return RoleView{std::move(record->name), std::move(record->permissions), false};
}

Task<RoleView> Roles::create(store::ProjectNo project, RoleKind kind, NewRole input, policy::Caller by,
                             store::Deadline deadline) {
  CO_RETURN_IF_ERROR(check(kind, input));
  CO_RETURN_IF_ERROR(mayGrant(by, input.permissions));
  const store::CollectionRef collection = collectionOf(project, roleCollection(kind));
  const Timestamp now = deps_.clock.now();
  const RoleRecord record{lowerAscii(input.name), input.name, input.permissions, std::nullopt, now, now};
  store::Write write = roleWrite(deps_, project, kind, record.name, "role.created", by, deadline, &record.permissions);
  const store::Target target = write.change(collection, record.id);
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write),
      [target, stored = doc::encode(record)](const store::PreImages& before, store::Changes& changes) -> Result<> {
        if (before[target]) return fail(ErrorCode::conflict, "there is a role of this name already");
        changes.put(target, stored);
        return {};
      }));
  co_return RoleView{std::move(input.name), std::move(input.permissions), false};
}

Task<> Roles::replace(store::ProjectNo project, RoleKind kind, std::string name, RolePermissions input,
                      policy::Caller by, store::Deadline deadline) {
  if (!isName(name)) co_return fail(noSuchRole());
  if (isBuiltInRole(kind, name)) co_return fail(ErrorCode::conflict, "a built-in role cannot be changed");
  CO_RETURN_IF_ERROR(checkPermissions(input.permissions));
  CO_RETURN_IF_ERROR(mayGrant(by, input.permissions));
  store::Write write = roleWrite(deps_, project, kind, name, "role.changed", by, deadline, &input.permissions);
  const store::Target target = write.change(targetOf(project, roleCollection(kind), lowerAscii(name)));
  CO_RETURN_IF_ERROR(
      co_await deps_.store.write(std::move(write),
                                 [target, name, permissions = std::move(input.permissions), now = deps_.clock.now()](
                                     const store::PreImages& before, store::Changes& changes) -> Result<> {
                                   TRY(RoleRecord record, existing(before[target], name));
                                   record.permissions = permissions;
                                   record.updatedAt = now;
                                   changes.put(target, doc::encode(record));
                                   return {};
                                 }));
  co_return Result<>();
}

Task<> Roles::remove(store::ProjectNo project, RoleKind kind, std::string name, policy::Caller by,
                     store::Deadline deadline) {
  if (!isName(name)) co_return fail(noSuchRole());
  if (isBuiltInRole(kind, name)) co_return fail(ErrorCode::conflict, "a built-in role cannot be deleted");
  co_return co_await store::retryWrite(kRemoveAttempts, Error(ErrorCode::conflict, "this role is being granted"),
                                       [&] { return removeOnce(project, kind, name, by, deadline); });
}

Task<> Roles::removeOnce(store::ProjectNo project, RoleKind kind, std::string name, policy::Caller by,
                         store::Deadline deadline) {
  const store::WriteTarget role = targetOf(project, roleCollection(kind), lowerAscii(name));
  CO_TRY(const std::optional<doc::Document> stored, co_await deps_.store.get(role.collection, role.id));
  CO_TRY(const RoleRecord seen, existing(stored, name));
  const bool ofEndUsers = kind == RoleKind::endUser;
  if (!ofEndUsers) CO_RETURN_IF_ERROR(co_await refuseWhileUsed(project, name));
  store::Write write = roleWrite(deps_, project, kind, name, "role.deleted", by, deadline);
  const store::Target target = write.change(role);
  // Each write that gives a user the role locks its record exclusively, so none is under way while this one is locked.
  if (ofEndUsers) {
    const doc::Document held = store::idDocument(name);
    write.require({"users", collectionOf(project, kUsers), "metadata.role", doc::Value(*held.view().find("id"))});
  }
  const auto done =
      co_await deps_.store.write(std::move(write),
                                 [target, name, ofEndUsers, grants = seen.grants](const store::PreImages& before,
                                                                                  store::Changes& changes) -> Result<> {
                                   TRY(const RoleRecord now, existing(before[target], name));
                                   if (!ofEndUsers && now.grants != grants) {
                                     return fail(ErrorCode::retry, "the role was granted since its members were read");
                                   }
                                   changes.remove(target);
                                   return {};
                                 });
  const Violation* violation = done ? nullptr : done.error().violation();
  if (violation && violation->kind == Violation::Kind::condition) {
    co_return fail(ErrorCode::conflict, "a user has this role");
  }
  if (!done) co_return fail(done.error().clone());
  co_return Result<>();
}

Task<> Roles::refuseWhileUsed(store::ProjectNo project, std::string name) {
  CO_TRY(const snapshot::SnapshotPtr snapshot, co_await deps_.snapshots.byNumber(project));
  if (!snapshot) co_return fail(ErrorCode::notFound, "no such project");
  // It must hold each grant that the role's record counts. Of several processes one may not have heard of a commit yet.
  CO_TRY(const uint64_t epoch, co_await deps_.store.epochNow(project));
  if (epoch != snapshot->epoch()) co_return fail(ErrorCode::retry, "the project has changed since it was read");
  for (const auto& [user, member] : snapshot->get(slots_.members).byUser) {
    if (member.role == name) co_return fail(ErrorCode::conflict, "a member has this role");
  }
  if (snapshot->get(slots_.members).invitedAs.contains(name)) {
    co_return fail(ErrorCode::conflict, "a pending invitation has this role");
  }
  co_return Result<>();
}

Task<std::shared_ptr<const void>> Roles::load(store::ProjectNo project) {
  auto table = std::make_shared<RoleTable>();
  CO_TRY(std::vector<RoleView> member, co_await list(project, RoleKind::member));
  for (RoleView& role : member) addTo(table->member, role.name, std::move(role.permissions));
  CO_TRY(std::vector<RoleView> endUser, co_await list(project, RoleKind::endUser));
  for (RoleView& role : endUser) addTo(table->endUser, role.name, std::move(role.permissions));
  co_return std::shared_ptr<const void>(std::move(table));
}

}  // namespace mb::identity
