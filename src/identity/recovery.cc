#include "identity/recovery.h"

#include "identity/email.h"
#include "identity/factor_reset.h"
#include "identity/one_time_tokens.h"
#include "identity/records.h"
#include "identity/session_ends.h"
#include "store/retry.h"

namespace mb::identity {

namespace {

constexpr int kMaxResetRaces = 3;
constexpr uint64_t kMaxSessions = 1000;

audit::AuditActor server() {
  return {"server", "", std::nullopt};
}

Error noUser(std::string_view who) {
  return Error(ErrorCode::notFound, fmt::format("there is no user {}", who));
}

// A pattern that matches `text` literally.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
    if (!plain) out += '\\';
    out += c;
  }
  return out;
}

// Adds the condition that `field` contains `text`, case-insensitively.
void addPattern(doc::BsonWriter& out, std::string_view field, std::string_view text) {
  out.beginDocument(field);
  out.appendString("$regex", escaped(text));
  out.appendString("$options", "i");
  out.end();
}

Result<doc::Filter> filterOf(const UserSearch& search) {
  doc::BsonWriter out;
  if (!search.email.empty()) {
    // A part of an address has no normal form of its domain, so the address as typed is searched as well.
    out.beginArray("$or");
    out.beginDocument("0");
    addPattern(out, "emailKey", emailKey(search.email));
    out.end();
    out.beginDocument("1");
    addPattern(out, "email", lowerAscii(trimmed(search.email)));
    out.end();
    out.end();
  }
  if (!search.after.empty()) {
    out.beginDocument("id");
    out.appendString("$gt", search.after);
    out.end();
  }
  return doc::Filter::parse(out.finish());
}

doc::Filter activeOperators(const UserId& but) {
  doc::BsonWriter out;
  out.appendString("platformRole", kSuperAdmin);
  out.appendString("status", kStatusActive);
  out.beginDocument("id");
  out.appendString("$ne", but.str());
  out.end();
  return *doc::Filter::parse(out.finish());
}

Result<UserRecord> userIn(const std::optional<doc::Document>& stored) {
  if (!stored) return fail(ErrorCode::notFound, "no such user");
  return fromStore<UserRecord>(stored->view());
}

bool isOperator(const UserRecord& user) {
  return user.platformRole == kSuperAdmin;
}

store::WriteOptions optionsOf(const Realm& realm, store::Deadline deadline) {
  return {.deadline = deadline, .actor = {store::ActorKind::server, ""}, .bumpEpochs = {realm.project}};
}

}  // namespace

Task<std::vector<UserRecord>> Recovery::list(Realm realm, UserSearch search, store::Deadline deadline) {
  CO_TRY(doc::Filter filter, filterOf(search));
  CO_TRY(const store::QueryResult found,
         co_await deps_.store.find(queryOf(collectionOf(realm.project, kUsers), std::move(filter),
                                           std::min(search.limit, kMaxRecoveryListed), deadline)));
  co_return fromStore<UserRecord>(found.documents);
}

Task<UserRecord> Recovery::find(Realm realm, std::string idOrEmail) {
  const store::CollectionRef users = collectionOf(realm.project, kUsers);
  if (isId(UserTag::prefix, idOrEmail)) {
    CO_TRY(const std::optional<doc::Document> stored, co_await deps_.store.get(users, idOrEmail));
    CO_TRY(std::optional<UserRecord> user, fromStore<UserRecord>(stored));
    if (user) co_return *std::move(user);
    co_return fail(noUser(idOrEmail));
  }
  for (const std::string& key : storedEmailKeys(idOrEmail)) {
    CO_TRY(const store::QueryResult found,
           co_await deps_.store.find(queryOf(users, doc::Filter::equals("emailKey", key), 1, readDeadline())));
    if (!found.documents.empty()) co_return fromStore<UserRecord>(found.documents.front().view());
  }
  co_return fail(noUser(idOrEmail));
}

Task<> Recovery::setPassword(Realm realm, UserId user, std::string passwordHash, store::Deadline deadline) {
  CO_TRY(const store::QueryResult sessions,
         co_await deps_.store.find(queryOf(collectionOf(realm.project, kSessions),
                                           doc::Filter::equals("userId", user.str()), kMaxSessions, deadline)));
  store::Write write(optionsOf(realm, deadline));
  const store::Target owner = write.change(targetOf(realm.project, kUsers, user.str()));
  std::vector<store::Target> ending{write.change(tokenTarget(realm, LinkPurpose::resetPassword, user))};
  for (const doc::Document& session : sessions.documents) {
    std::string id(session.view().stringOr("id"));
    write.options.notices.push_back(sessionEnd(realm.project, id));
    ending.push_back(write.change(targetOf(realm.project, kSessions, std::move(id))));
  }
  write.insert(deps_.auditor.entry(realm.project, "user.passwordSet", server(), "users/" + user.str(), "", ""));
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write),
      [owner, ending = std::move(ending), passwordHash = std::move(passwordHash), &clock = std::as_const(deps_.clock)](
          const store::PreImages& before, store::Changes& changes) -> Result<> {
        TRY(UserRecord record, userIn(before[owner]));
        record.passwordHash = passwordHash;
        // Never earlier than an earlier end, even if the clock was set back.
        const Timestamp now = clock.now();
        record.signedOutAt = std::max(now, record.signedOutAt.value_or(now));
        record.updatedAt = now;
        changes.put(owner, doc::encode(record));
        for (const store::Target other : ending) changes.remove(other);
        return {};
      }));
  co_return Result<>();
}

Task<bool> Recovery::resetFactor(Realm realm, UserId user, store::Deadline deadline) {
  store::Write write(optionsOf(realm, deadline));
  const store::Target owner = write.change(targetOf(realm.project, kUsers, user.str()));
  const FactorTargets factor = addFactorTargets(write, realm, user);
  write.insert(deps_.auditor.entry(realm.project, "mfa.reset", server(), "users/" + user.str(), "", ""));
  co_return co_await store::writeReturning(
      deps_.store, std::move(write),
      [owner, factor, &clock = std::as_const(deps_.clock)](const store::PreImages& before,
                                                           store::Changes& changes) -> Result<bool> {
        TRY(UserRecord record, userIn(before[owner]));
        const bool hadFactor = record.mfaEnabled || before[factor.factor];
        factor.remove(record, clock.now(), changes);
        changes.put(owner, doc::encode(record));
        return hadFactor;
      });
}

Task<std::optional<UserId>> Recovery::otherOperator(UserId but, store::Deadline deadline) {
  CO_TRY(const store::QueryResult found, co_await deps_.store.find(queryOf(collectionOf(store::kControlProject, kUsers),
                                                                           activeOperators(but), 1, deadline)));
  if (found.documents.empty()) co_return std::nullopt;
  co_return UserId(std::string(found.documents.front().view().stringOr("id")));
}

Task<bool> Recovery::setOperator(UserId user, bool on, store::Deadline deadline) {
  co_return co_await store::retryWrite(
      kMaxResetRaces, Error(ErrorCode::conflict, "the super-admins were changed by another request: try again"),
      [&] { return setOperatorOnce(user, on, deadline); });
}

Task<bool> Recovery::setOperatorOnce(UserId user, bool on, store::Deadline deadline) {
  const Realm realm = Realm::platform();
  store::Write write(optionsOf(realm, deadline));
  const store::Target target = write.change(targetOf(realm.project, kUsers, user.str()));
  // Another super-admin, held until the commit: of two that are removed concurrently one remains.
  std::optional<store::Target> stays;
  if (!on) {
    CO_TRY(const std::optional<UserId> other, co_await otherOperator(user, deadline));
    if (other) stays = write.hold(targetOf(realm.project, kUsers, other->str()));
  }
  write.insert(deps_.auditor.entry(realm.project, on ? "operator.added" : "operator.removed", server(),
                                   "users/" + user.str(), "", ""));
  co_return co_await store::writeReturning(
      deps_.store, std::move(write),
      [target, stays, on, &clock = std::as_const(deps_.clock)](const store::PreImages& before,
                                                               store::Changes& changes) -> Result<bool> {
        TRY(UserRecord record, userIn(before[target]));
        if (isOperator(record) == on) return false;
        if (!on) {
          if (!stays) {
            return fail(ErrorCode::conflict, "the last active super-admin cannot be removed: add another one first");
          }
          TRY(const UserRecord other, userIn(before[*stays]));
          if (!isOperator(other) || !other.active()) {
            return fail(ErrorCode::retry, "the other super-admin changed since it was read");
          }
        }
        record.platformRole = std::string(on ? kSuperAdmin : kDefaultUserRole);
        record.updatedAt = clock.now();
        changes.put(target, doc::encode(record));
        return true;
      });
}

}  // namespace mb::identity
