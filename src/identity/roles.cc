#include "identity/roles.h"

#include <algorithm>

#include "identity/audited.h"
#include "identity/role_record.h"

namespace mb::identity {

namespace {

constexpr size_t kMaxPermissions = 100;
// Permissions stand in access tokens, and those in request heads of 16 KiB.
constexpr size_t kMaxPermissionBytes = 4096;
constexpr int kRemoveAttempts = 3;

using Before = std::span<const std::optional<doc::Document>>;

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

// The custom role `name` as it is, in a judge.
Result<RoleRecord> existing(Before before, std::string_view name) {
  if (!before[0]) return fail(noSuchRole());
  TRY(RoleRecord record, fromStore<RoleRecord>(before[0]->view()));
  if (record.name != name) return fail(noSuchRole());
  return record;
}

std::vector<store::Change> one(store::Change change) {
  std::vector<store::Change> changes;
  changes.push_back(std::move(change));
  return changes;
}

// The entry of what was done to a role.
std::vector<store::Insert> auditOf(const IdentityDeps& deps, store::ProjectNo project, RoleKind kind,
                                   const std::string& name, std::string action, const policy::Caller& by,
                                   const std::vector<std::string>* permissions = nullptr) {
  doc::BsonWriter details;
  if (permissions) doc::encodeValue(details, "permissions", *permissions);
  return deps.auditor.entry(project, std::move(action), auditActorOf(by),
                            (kind == RoleKind::member ? "roles/" : "enduser-roles/") + name, by.ip, by.requestId,
                            details.finish());
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
         co_await allOf(deps_.store, collectionOf(project, roleCollection(kind))));
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
  CO_CHECK(check(kind, input));
  CO_CHECK(mayGrant(by, input.permissions));
  const store::CollectionRef collection = collectionOf(project, roleCollection(kind));
  const Timestamp now = deps_.clock.now();
  const RoleRecord record{lowerAscii(input.name), input.name, input.permissions, std::nullopt, now, now};
  auto entries = auditOf(deps_, project, kind, record.name, "role.created", by, &record.permissions);
  std::vector<store::WriteTarget> targets{{collection, record.id}};
  addTargets(targets, entries);
  store::Judge judge = [stored = doc::encode(record),
                        entries = std::move(entries)](Before before) mutable -> Result<std::vector<store::Change>> {
    if (before[0]) return fail(ErrorCode::conflict, "there is a role of this name already");
    std::vector<store::Change> changes = one(store::Change::put(std::move(stored)));
    addPuts(changes, entries);
    return changes;
  };
  store::WriteOptions options{.deadline = deadline, .actor = actorOf(by), .bumpEpochs = {project}};
  CO_CHECK(co_await deps_.store.write(std::move(targets), std::move(judge), std::move(options)));
  co_return RoleView{std::move(input.name), std::move(input.permissions), false};
}

Task<> Roles::replace(store::ProjectNo project, RoleKind kind, std::string name, RolePermissions input,
                      policy::Caller by, store::Deadline deadline) {
  if (!isName(name)) co_return fail(noSuchRole());
  if (isBuiltInRole(kind, name)) co_return fail(ErrorCode::conflict, "a built-in role cannot be changed");
  CO_CHECK(checkPermissions(input.permissions));
  CO_CHECK(mayGrant(by, input.permissions));
  auto entries = auditOf(deps_, project, kind, name, "role.changed", by, &input.permissions);
  std::vector<store::WriteTarget> targets{targetOf(project, roleCollection(kind), lowerAscii(name))};
  addTargets(targets, entries);
  store::Judge judge = [name, permissions = std::move(input.permissions), entries = std::move(entries),
                        now = deps_.clock.now()](Before before) mutable -> Result<std::vector<store::Change>> {
    TRY(RoleRecord record, existing(before, name));
    record.permissions = std::move(permissions);
    record.updatedAt = now;
    std::vector<store::Change> changes = one(store::Change::put(doc::encode(record)));
    addPuts(changes, entries);
    return changes;
  };
  store::WriteOptions options{.deadline = deadline, .actor = actorOf(by), .bumpEpochs = {project}};
  CO_CHECK(co_await deps_.store.write(std::move(targets), std::move(judge), std::move(options)));
  co_return Result<>();
}

Task<> Roles::remove(store::ProjectNo project, RoleKind kind, std::string name, policy::Caller by,
                     store::Deadline deadline) {
  if (!isName(name)) co_return fail(noSuchRole());
  if (isBuiltInRole(kind, name)) co_return fail(ErrorCode::conflict, "a built-in role cannot be deleted");
  const store::WriteTarget target = targetOf(project, roleCollection(kind), lowerAscii(name));
  for (int attempt = 1;; ++attempt) {
    CO_TRY(const std::vector<std::optional<doc::Document>> stored,
           co_await deps_.store.getMany(target.collection, {target.id}));
    CO_TRY(const RoleRecord seen, existing(stored, name));
    CO_CHECK(co_await refuseWhileUsed(project, kind, name, deadline));
    auto entries = auditOf(deps_, project, kind, name, "role.deleted", by);
    std::vector<store::WriteTarget> targets{target};
    addTargets(targets, entries);
    bool handedOut = false;  // since it was looked who has it
    store::Judge judge = [&](Before before) -> Result<std::vector<store::Change>> {
      TRY(const RoleRecord now, existing(before, name));
      handedOut = now.grants != seen.grants;
      if (handedOut) return fail(ErrorCode::conflict, "this role is being handed out");
      std::vector<store::Change> changes = one(store::Change::remove());
      addPuts(changes, entries);
      return changes;
    };
    store::WriteOptions options{.deadline = deadline, .actor = actorOf(by), .bumpEpochs = {project}};
    const auto outcome = co_await deps_.store.write(std::move(targets), std::move(judge), std::move(options));
    if (outcome) co_return Result<>();
    if (!handedOut || attempt == kRemoveAttempts) co_return fail(outcome.error().clone());
  }
}

Task<> Roles::refuseWhileUsed(store::ProjectNo project, RoleKind kind, std::string name, store::Deadline deadline) {
  if (kind == RoleKind::endUser) {
    store::Query query = queryOf(collectionOf(project, kUsers), equalsText("metadata.role", name), 1, deadline);
    CO_TRY(const store::QueryResult found, co_await deps_.store.find(std::move(query)));
    if (!found.documents.empty()) co_return fail(ErrorCode::conflict, "a user has this role");
    co_return Result<>();
  }
  CO_TRY(const snapshot::SnapshotPtr snapshot, co_await deps_.snapshots.byNumber(project));
  if (!snapshot) co_return fail(ErrorCode::notFound, "no such project");
  for (const auto& [user, member] : snapshot->get(slots_.members).byUser) {
    if (member.role == name) co_return fail(ErrorCode::conflict, "a member has this role");
  }
  if (snapshot->get(slots_.members).invitedAs.contains(name)) {
    co_return fail(ErrorCode::conflict, "somebody is invited with this role");
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
