// The change of a password by its user, who is signed in.
#include <algorithm>

#include "identity/one_time_tokens.h"
#include "identity/records.h"
#include "identity/session_ends.h"
#include "identity/session_types.h"
#include "identity/users.h"

namespace mb::identity {

namespace {

Error sessionEnded() {
  return Error(ErrorCode::unauthenticated, "this session has ended: sign in again");
}

// The write callback of a password change, with its documents.
struct PasswordWrite {
  std::string passwordHash;
  std::string replaced;  // the hash that the current password was compared with
  const Clock& clock;
  store::Target user;
  store::Target session;
  store::Target resetToken;
  std::vector<store::Target> others;  // sessions
  PreparedDocuments mail = {};

  Result<> operator()(const store::PreImages& before, store::Changes& changes) const {
    TRY(std::optional<UserRecord> record, fromStore<UserRecord>(before[user]));
    TRY(std::optional<SessionRecord> present, fromStore<SessionRecord>(before[session]));
    if (!record || !present || present->userId != record->id) return fail(sessionEnded());
    if (record->passwordHash != replaced) {
      return fail(ErrorCode::conflict, "the password was changed by another request: try again");
    }
    // Never earlier than an earlier end, even if the clock was set back. Sign-ins that are under way read the user
    // before this commit, and get no session after it.
    const Timestamp now = clock.now();
    const Timestamp end = std::max(now, record->signedOutAt.value_or(now));
    record->passwordHash = passwordHash;
    record->signedOutAt = end;
    record->updatedAt = now;
    present->keptAt = Timestamp{end.ms + 1};
    changes.put(user, doc::encode(*record));
    changes.put(session, doc::encode(*present));
    changes.remove(resetToken);
    for (const store::Target other : others) changes.remove(other);
    mail.put(changes);
    return {};
  }
};

}  // namespace

Task<> Users::changePassword(Realm realm, PasswordChange input, policy::Caller by, store::Deadline deadline) {
  const UserId id(by.id);
  const std::string present = by.sessionId;
  CO_TRY(const std::optional<UserRecord> user, co_await get(realm, id));
  if (!user || !isId(SessionTag::prefix, present)) co_return fail(sessionEnded());
  if (user->passwordHash.empty()) {
    co_return fail(ErrorCode::conflict, "this account has no password: set one by the link in a password reset's mail");
  }
  CO_RETURN_IF_ERROR(checkPasswordRules(input.password, user->email));
  const auto verified =
      co_await checkPassword(realm, {user->email, std::move(input.current)}, by, std::string(kPasswordChange));
  if (!verified && verified.error().code() == ErrorCode::invalidCredentials) {
    co_return fail(ErrorCode::invalidCredentials, "the current password is wrong");
  }
  if (!verified) co_return fail(verified.error().clone());
  CO_TRY(std::string passwordHash, co_await passwords_.hash(realm, std::move(input.password)));
  CO_TRY(MailPart mail, co_await mail_.passwordChanged(realm, *user));
  CO_TRY(const store::QueryResult sessions,
         co_await deps_.store.find(queryOf(collectionOf(realm.project, kSessions),
                                           doc::Filter::equals("userId", id.str()), kPage, deadline)));

  store::Write write({.deadline = deadline, .actor = {realm.userKind(), id.str()}, .bumpEpochs = {}});
  PasswordWrite change{.passwordHash = std::move(passwordHash),
                       .replaced = verified->passwordHash,
                       .clock = deps_.clock,
                       .user = write.change(targetOf(realm.project, kUsers, id.str())),
                       .session = write.change(targetOf(realm.project, kSessions, present)),
                       .resetToken = write.change(tokenTarget(realm, LinkPurpose::resetPassword, id)),
                       .others = {}};
  for (const doc::Document& each : sessions.documents) {
    std::string other(each.view().stringOr("id"));
    if (other == present) continue;
    write.options.notices.push_back(sessionEnd(realm.project, other));
    change.others.push_back(write.change(targetOf(realm.project, kSessions, std::move(other))));
  }
  change.mail = mail.addTo(write);
  write.insert(deps_.auditor.entry(realm.project, "user.passwordChanged",
                                   {std::string(store::nameOf(realm.userKind())), id.str(), user->email},
                                   "users/" + id.str(), by.ip, by.requestId));
  CO_RETURN_IF_ERROR(co_await deps_.store.write(std::move(write), std::move(change)));
  mail_.wake(mail);
  forgiveLogins(realm, user->emailKey);
  co_return Result<>();
}

}  // namespace mb::identity
