#include "identity/user_write.h"

#include <algorithm>

#include "identity/records.h"
#include "identity/role_grant.h"
#include "identity/role_record.h"
#include "identity/user_types.h"

namespace mb::identity {

namespace {

constexpr int kMaxAttempts = 3;

using Before = std::span<const std::optional<doc::Document>>;
using Changes = std::vector<store::Change>;

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

}  // namespace

Task<store::JudgeOutcome> writeUser(const IdentityDeps& deps, Realm realm, UserWriteCheck check, policy::Caller by,
                                    std::vector<store::WriteTarget> targets, store::Judge judge,
                                    store::Deadline deadline) {
  for (int attempt = 1;; ++attempt) {
    CO_TRY(const auto stored, co_await deps.store.get(targets[0].collection, targets[0].id));
    CO_TRY(const UserRecord seen, existing(stored));
    const std::string held = roleOf(seen);
    std::vector<store::WriteTarget> all = targets;
    size_t roleAt = 0;  // 0: a role without a record
    if (auto role = roleTarget(realm.project, RoleKind::endUser, held)) {
      roleAt = static_cast<size_t>(std::ranges::find_if(all,
                                                        [&](const store::WriteTarget& known) {
                                                          return known.collection.number == role->collection.number &&
                                                                 known.id == role->id;
                                                        }) -
                                   all.begin());
      if (roleAt == all.size()) all.push_back(*std::move(role));
    }
    bool stale = false;
    store::Judge checked = [&](Before before) -> Result<Changes> {
      TRY(const UserRecord user, existing(before[0]));
      stale = roleOf(user) != held;
      if (stale) return fail(ErrorCode::conflict, "the role of this user is being changed");
      TRY(Changes changes, judge(before.first(targets.size())));
      bool asks = check == UserWriteCheck::always;
      if (!asks && changes[0].kind == store::Change::Kind::put) {
        TRY(const UserRecord after, fromStore<UserRecord>(changes[0].after.view()));
        asks = changesAccess(user, after);
      }
      if (asks && roleAt > 0) CHECK(mustHoldAll(*by.permissions, before[roleAt], held));
      if (before.size() > targets.size()) changes.push_back(store::Change::keep());
      return changes;
    };
    store::WriteOptions options{.deadline = deadline, .actor = policy::actorOf(by), .bumpEpochs = {realm.project}};
    auto outcome = co_await deps.store.write(std::move(all), std::move(checked), std::move(options));
    if (outcome || !stale || attempt == kMaxAttempts) co_return outcome;
  }
}

}  // namespace mb::identity
