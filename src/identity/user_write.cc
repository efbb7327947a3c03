#include "identity/user_write.h"

#include "identity/records.h"
#include "identity/role_grant.h"
#include "identity/role_record.h"
#include "identity/user_types.h"
#include "store/retry.h"

namespace mb::identity {

namespace {

constexpr int kMaxAttempts = 3;

Result<UserRecord> existing(const std::optional<doc::Document>& stored) {
  if (!stored) return fail(ErrorCode::notFound, "no such user");
  return fromStore<UserRecord>(stored->view());
}

bool changesAccess(const UserRecord& before, const UserRecord& after) {
  return before.email != after.email || before.emailKey != after.emailKey ||
         before.emailVerified != after.emailVerified || before.passwordHash != after.passwordHash ||
         before.status != after.status || before.mfaEnabled != after.mfaEnabled || roleOf(before) != roleOf(after);
}

Result<> mustHoldAll(const policy::PermissionSet& own, const std::optional<doc::Document>& stored,
                     std::string_view role) {
  TRY(const std::optional<RoleRecord> record, fromStore<RoleRecord>(stored));
  if (!record || record->name != role || own.includes(policy::PermissionSet(record->permissions))) return {};
  return fail(ErrorCode::forbidden,
              "this user holds permissions that you do not hold: only a caller who holds them all may change the "
              "address, verification, role, status or second factor");
}

// One attempt. Fails with retry where the user has another role than the write was prepared for.
Task<> attemptWrite(const IdentityDeps& deps, Realm realm, UserId id, UserWrite input, policy::Caller by,
                    store::Deadline deadline) {
  CO_TRY(const auto stored, co_await deps.store.get(collectionOf(realm.project, kUsers), id.str()));
  CO_TRY(const UserRecord seen, existing(stored));
  store::Write write({.deadline = deadline, .actor = policy::actorOf(by), .bumpEpochs = {realm.project}});
  const store::Target user = write.change(targetOf(realm.project, kUsers, id.str()));
  UserChange change = input.addTo(write);
  std::optional<store::Target> role;  // nullopt: a role without a record
  if (auto record = roleTarget(realm.project, RoleKind::endUser, roleOf(seen))) role = write.hold(*std::move(record));
  write.insert(std::move(input.entries));
  CO_RETURN_IF_ERROR(co_await deps.store.write(
      std::move(write),
      [user, role, change = std::move(change), held = roleOf(seen), check = input.check, own = by.permissions](
          const store::PreImages& before, store::Changes& changes) -> Result<> {
        TRY(const UserRecord record, existing(before[user]));
        if (roleOf(record) != held) return fail(ErrorCode::retry, "the user has another role");
        UserRecord after = record;
        RETURN_IF_ERROR(change(after, before, changes));
        const bool checks = check == UserWriteCheck::always || changesAccess(record, after);
        if (checks && role) RETURN_IF_ERROR(mustHoldAll(*own, before[*role], held));
        changes.put(user, doc::encode(after));
        return {};
      }));
  co_return Result<>();
}

}  // namespace

Task<> writeUser(const IdentityDeps& deps, Realm realm, UserId user, UserWrite input, policy::Caller by,
                 store::Deadline deadline) {
  co_return co_await store::retryWrite(kMaxAttempts,
                                       Error(ErrorCode::conflict, "the role of this user is being changed"),
                                       [&] { return attemptWrite(deps, realm, user, input, by, deadline); });
}

}  // namespace mb::identity
