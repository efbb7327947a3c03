#include "projects/operators.h"

#include <algorithm>

#include "base/log.h"
#include "base/text.h"
#include "identity/records.h"
#include "projects/members.h"
#include "projects/membership_context.h"
#include "store/retry.h"

namespace mb::projects {

namespace {

constexpr size_t kOperatorTokenBytes = 32;
constexpr int kMaxOperatorAttempts = 3;

store::WriteTarget userTarget(std::string id) {
  return {controlCollection(identity::kUsers), std::move(id)};
}

bool isOperator(const identity::UserRecord& user) {
  return user.platformRole == identity::kSuperAdmin;
}

// In the write callback, with the caller's account.
Result<> mustOperate(const std::optional<doc::Document>& stored) {
  TRY(const auto user, fromStore<identity::UserRecord>(stored));
  if (!user || !isOperator(*user) || !user->active()) return fail(ErrorCode::forbidden, "this is for operators");
  return {};
}

doc::Document addressed(std::string_view email) {
  doc::BsonWriter out;
  out.appendString("email", email);
  return out.finish();
}

mail::TemplatedMail invitationTo(const std::string& email, const policy::Caller& inviter, const std::string& baseUrl,
                                 const std::string& token, Timestamp end) {
  mail::TemplatedMail out;
  out.kind = mail::MailTemplate::operatorInvite;
  out.to = email;
  out.brand = {std::string(mail::kServiceName), ""};
  out.link = baseUrl;
  while (out.link.ends_with('/')) out.link.pop_back();
  out.link += "/auth/login?plane=control&invite=" + token;
  out.inviter = inviter.email;
  out.validUntil = end;
  return out;
}

}  // namespace

bool Operators::named(std::string_view emailKey) const {
  return std::ranges::find(settings_.operatorEmails, emailKey) != settings_.operatorEmails.end();
}

// ---- listing

Task<std::vector<identity::UserView>> Operators::users(By by, uint64_t skip, uint64_t limit) {
  CO_TRY(const auto users, co_await deps_.users.list(identity::Realm::platform(), skip, limit, by.deadline));
  std::vector<identity::UserView> views;
  for (const auto& user : users) views.push_back(identity::viewOf(user));
  co_return views;
}

Task<std::vector<OperatorInvite>> Operators::invites() {
  CO_TRY(const store::QueryResult found,
         co_await deps_.store.find(queryOf(kOperatorInvites, doc::Filter(), 0, kMaxOperators)));
  CO_TRY(std::vector<OperatorInvite> all, fromStore<OperatorInvite>(found.documents));
  std::ranges::sort(all, {}, [](const OperatorInvite& invite) { return std::pair(invite.createdAt.ms, invite.id); });
  co_return all;
}

Task<std::vector<OperatorView>> Operators::list(By by) {
  store::Query query =
      queryOf(identity::kUsers, doc::Filter::equals("platformRole", identity::kSuperAdmin), 0, kMaxOperators);
  query.deadline = by.deadline;
  // Invites are read first: one that is accepted between the two reads is then seen twice, never as neither.
  CO_TRY(const std::vector<OperatorInvite> pending, co_await invites());
  CO_TRY(const store::QueryResult found, co_await deps_.store.find(std::move(query)));
  CO_TRY(const auto users, fromStore<identity::UserRecord>(found.documents));
  std::vector<OperatorView> views;
  std::vector<std::string> seen;
  for (const auto& user : users) {
    views.push_back({user.email, {user.id}, "active"});
    seen.push_back(identity::emailKey(user.email));
  }
  const auto addPending = [&](const std::string& key, const std::string& shown) {
    if (std::ranges::find(seen, key) != seen.end()) return;
    views.push_back({shown, {}, "pending"});
    seen.push_back(key);
  };
  for (const auto& invite : pending) addPending(invite.id, invite.address.value_or(invite.id));
  for (const auto& email : settings_.operatorEmails) addPending(email, email);
  co_return views;
}

// ---- adding

Task<OperatorView> Operators::add(By by, NewOperator input) {
  CO_TRY(const identity::Email email, identity::parseEmail(input.email));
  co_return co_await store::retryWrite(
      kMaxOperatorAttempts,
      Error(ErrorCode::conflict, "this address is being invited or registered at the same time: try again"),
      [&] { return tryAdd(by, email); });
}

Task<OperatorView> Operators::tryAdd(By by, identity::Email email) {
  CO_TRY(auto user, co_await deps_.users.byEmail(identity::Realm::platform(), email.text));
  if (user && (mayJoin(deps_, *user) || isOperator(*user))) co_return co_await promote(by, *std::move(user));
  CO_RETURN_IF_ERROR(co_await invite(by, email));
  // An account that registered or verified the address since then did not see the invite.
  CO_TRY(user, co_await deps_.users.byEmail(identity::Realm::platform(), email.text));
  if (user && mayJoin(deps_, *user)) {
    if (!isOperator(*user)) co_return co_await promote(by, *std::move(user));
    CO_RETURN_IF_ERROR(co_await withdraw(by, email.key));
    co_return OperatorView{user->email, {user->id}, "active"};
  }
  if (user) {
    CO_RETURN_IF_ERROR(
        co_await deps_.links.mailLink(identity::Realm::platform(), identity::LinkPurpose::verifyEmail, email.text));
  }
  co_return OperatorView{lowerAscii(email.text), {}, "pending"};
}

// Removes the invite of a user who is an operator already.
Task<> Operators::withdraw(By by, std::string key) {
  store::Write write = projectWrite(by, {}, {});
  const store::Target invite = write.change(target(kOperatorInvites, std::move(key)));
  CO_RETURN_IF_ERROR(co_await deps_.store.write(std::move(write), store::removing({invite})));
  co_return Result<>();
}

Task<OperatorView> Operators::promote(By by, identity::UserRecord user) {
  if (isOperator(user)) co_return fail(ErrorCode::conflict, "this user is an operator already");
  store::Write write = projectWrite(by, {store::kControlProject},
                                    auditOf(deps_, by.caller, store::kControlProject, "operator.added",
                                            "users/" + user.id.str(), addressed(user.email)));
  const store::Target promoted = write.change(userTarget(user.id.str()));
  const store::Target invite = write.change(target(kOperatorInvites, identity::emailKey(user.email)));
  const store::Target caller = write.hold(userTarget(by.caller.id));
  const auto callback = [promoted, invite, caller, &clock = std::as_const(deps_.clock)](
                            const store::PreImages& before, store::Changes& changes) -> Result<> {
    RETURN_IF_ERROR(mustOperate(before[caller]));
    TRY(std::optional<identity::UserRecord> now, fromStore<identity::UserRecord>(before[promoted]));
    if (!now) return fail(ErrorCode::notFound, "this account was deleted");
    if (isOperator(*now)) return fail(ErrorCode::conflict, "this user is an operator already");
    if (!now->active()) return fail(ErrorCode::conflict, "this account is not active");
    now->platformRole = std::string(identity::kSuperAdmin);
    now->updatedAt = clock.now();
    changes.put(promoted, doc::encode(*now));
    changes.remove(invite);
    return {};
  };
  CO_RETURN_IF_ERROR(co_await deps_.store.write(std::move(write), callback));
  co_return OperatorView{user.email, {user.id}, "active"};
}

Task<> Operators::invite(By by, identity::Email address) {
  const std::string& email = address.key;
  CO_TRY(const std::vector<OperatorInvite> pending, co_await invites());
  if (pending.size() >= kMaxOperators) co_return fail(ErrorCode::conflict, "there are too many pending invites");
  const bool renews = std::ranges::find(pending, email, &OperatorInvite::id) != pending.end();
  OperatorInvite invite{email, UserId(by.caller.id), deps_.clock.now()};
  invite.address = lowerAscii(address.text);
  auto inserts =
      auditOf(deps_, by.caller, store::kControlProject, "operator.invited", "operators/" + email, addressed(email));
  std::string job;
  if (mails_.begin(email)) {
    const std::string token = randomToken(kOperatorTokenBytes);
    const Timestamp end{deps_.clock.now().ms + kInviteLinkMs};
    auto queued = deps_.mailer.insertOf(invitationTo(*invite.address, by.caller, deps_.baseUrl, token, end),
                                        store::kControlProject);
    if (queued) {
      job = queued->id();
      inserts.push_back(*std::move(queued));
      invite.tokenHash = toHex(sha256(token));
      invite.tokenExpiresAt = end;
    } else {
      logInfo("operator invitation mail not sent", {{"message", queued.error().message()}});
    }
  }
  store::Write write = projectWrite(by, {}, std::move(inserts));
  const store::Target caller = write.hold(userTarget(by.caller.id));
  const store::Target addressed = write.change(target(kInvitedAddresses, email));
  const store::Target invited = write.change(target(kOperatorInvites, email));
  const auto callback = [caller, addressed, invited, renews, &invite = std::as_const(invite)](
                            const store::PreImages& before, store::Changes& changes) -> Result<> {
    RETURN_IF_ERROR(mustOperate(before[caller]));
    TRY(const std::optional<OperatorInvite> earlier, fromStore<OperatorInvite>(before[invited]));
    if (renews && !earlier) return fail(ErrorCode::retry, "the invite was used or revoked since");
    OperatorInvite next = invite;
    if (earlier) {
      next.createdAt = earlier->createdAt;
      keepLink(next, *earlier);
    }
    RETURN_IF_ERROR(countInvite(addressed, invite.id, before, changes));
    changes.put(invited, doc::encode(next));
    return {};
  };
  CO_RETURN_IF_ERROR(co_await deps_.store.write(std::move(write), callback));
  if (!job.empty()) deps_.mailer.wake(job);
  co_return Result<>();
}

Task<> Operators::revoke(By by, std::string email) {
  const auto address = identity::parseEmail(email);
  if (!address) co_return fail(ErrorCode::notFound, "no such invite");
  const std::string& key = address->key;
  store::Write write = projectWrite(by, {},
                                    auditOf(deps_, by.caller, store::kControlProject, "operator.inviteCancelled",
                                            "operators/" + key, addressed(key)));
  const store::Target caller = write.hold(userTarget(by.caller.id));
  const store::Target invite = write.change(target(kOperatorInvites, key));
  const auto callback = [caller, invite, isNamed = named(key)](const store::PreImages& before,
                                                               store::Changes& changes) -> Result<> {
    RETURN_IF_ERROR(mustOperate(before[caller]));
    if (!before[invite]) {
      if (isNamed) return fail(ErrorCode::conflict, "this address is named in SERVICE_OPERATORS: remove it there");
      return fail(ErrorCode::notFound, "no such invite");
    }
    changes.remove(invite);
    return {};
  };
  CO_RETURN_IF_ERROR(co_await deps_.store.write(std::move(write), callback));
  co_return Result<>();
}

}  // namespace mb::projects
