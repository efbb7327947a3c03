#include "projects/operators.h"

#include <algorithm>

#include "base/log.h"
#include "identity/records.h"
#include "projects/members.h"
#include "projects/standing.h"

namespace mb::projects {

namespace {

using Changes = std::vector<store::Change>;

constexpr size_t kOperatorTokenBytes = 32;
constexpr int kMaxOperatorAttempts = 3;

store::WriteTarget userTarget(std::string id) {
  return {controlCollection(identity::kUsers), std::move(id)};
}

bool isOperator(const identity::UserRecord& user) {
  return user.platformRole == identity::kSuperAdmin;
}

// In the judge, with the asking user as they are there.
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

mail::Letter letterTo(const std::string& email, const policy::Caller& inviter, const std::string& baseUrl,
                      const std::string& token, Timestamp end) {
  mail::Letter out;
  out.kind = mail::LetterKind::operatorInvite;
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

// ---- seeing

Task<std::vector<identity::UserView>> Operators::users(By by, uint64_t skip, uint64_t limit) {
  CO_TRY(const auto users, co_await deps_.users.list(identity::Realm::platform(), skip, limit, by.deadline));
  std::vector<identity::UserView> views;
  for (const auto& user : users) views.push_back(identity::viewOf(user));
  co_return views;
}

Task<std::vector<OperatorInvite>> Operators::invites() {
  CO_TRY(const store::QueryResult found,
         co_await deps_.store.find(queryOf(kOperatorInvites, doc::Filter(), 0, kMostOperators)));
  CO_TRY(std::vector<OperatorInvite> all, fromStore<OperatorInvite>(found.documents));
  std::ranges::sort(all, {}, [](const OperatorInvite& invite) { return std::pair(invite.createdAt.ms, invite.id); });
  co_return all;
}

Task<std::vector<OperatorView>> Operators::list(By by) {
  store::Query query = queryOf(identity::kUsers, equals("platformRole", identity::kSuperAdmin), 0, kMostOperators);
  query.deadline = by.deadline;
  // Invites first: one that is taken up between the two reads is then seen twice, never as neither.
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
  for (int attempt = 0; attempt < kMaxOperatorAttempts; ++attempt) {
    CO_TRY(auto user, co_await deps_.users.byEmail(identity::Realm::platform(), email.text));
    if (user && (mayJoin(deps_, *user) || isOperator(*user))) co_return co_await promote(by, *std::move(user));
    CO_TRY(const bool invited, co_await invite(by, email));
    if (!invited) continue;
    // An account that registered, or proved the address, since then did not see the invite.
    CO_TRY(user, co_await deps_.users.byEmail(identity::Realm::platform(), email.text));
    if (user && mayJoin(deps_, *user)) {
      if (!isOperator(*user)) co_return co_await promote(by, *std::move(user));
      CO_CHECK(co_await withdraw(by, email.key));
      co_return OperatorView{user->email, {user->id}, "active"};
    }
    if (user) {
      CO_CHECK(
          co_await deps_.links.mailLink(identity::Realm::platform(), identity::LinkPurpose::verifyEmail, email.text));
    }
    co_return OperatorView{identity::lowerAscii(email.text), {}, "pending"};
  }
  co_return fail(ErrorCode::conflict, "this address is being invited or registered at the same time, try again");
}

// Takes the invite of somebody who is an operator already.
Task<> Operators::withdraw(By by, std::string key) {
  std::vector<store::WriteTarget> targets;
  targets.push_back(target(kOperatorInvites, std::move(key)));
  store::Judge judge = [](Before before) -> Result<Changes> {
    Changes changes;
    changes.push_back(before[0] ? store::Change::remove() : store::Change::keep());
    return changes;
  };
  CO_CHECK(co_await commit(deps_, by, {}, std::move(targets), std::move(judge), {}));
  co_return Result<>();
}

Task<OperatorView> Operators::promote(By by, identity::UserRecord user) {
  if (isOperator(user)) co_return fail(ErrorCode::conflict, "this user is an operator already");
  std::vector<store::WriteTarget> targets;
  targets.push_back(userTarget(by.caller.id));
  targets.push_back(userTarget(user.id.str()));
  targets.push_back(target(kOperatorInvites, identity::emailKey(user.email)));
  store::Judge judge = [&](Before before) -> Result<Changes> {
    CHECK(mustOperate(before[0]));
    TRY(std::optional<identity::UserRecord> now, fromStore<identity::UserRecord>(before[1]));
    if (!now) return fail(ErrorCode::notFound, "this account is gone");
    if (isOperator(*now)) return fail(ErrorCode::conflict, "this user is an operator already");
    if (!now->active()) return fail(ErrorCode::conflict, "this account is not active");
    now->platformRole = std::string(identity::kSuperAdmin);
    now->updatedAt = deps_.clock.now();
    Changes changes(3);
    changes[1] = store::Change::put(doc::encode(*now));
    if (before[2]) changes[2] = store::Change::remove();
    return changes;
  };
  auto audit = auditOf(deps_, by.caller, store::kControlProject, "operator.added", "users/" + user.id.str(),
                       addressed(user.email));
  CO_CHECK(
      co_await commit(deps_, by, {store::kControlProject}, std::move(targets), std::move(judge), std::move(audit)));
  co_return OperatorView{user.email, {user.id}, "active"};
}

Task<bool> Operators::invite(By by, identity::Email address) {
  const std::string& email = address.key;
  CO_TRY(const std::vector<OperatorInvite> pending, co_await invites());
  if (pending.size() >= kMostOperators) co_return fail(ErrorCode::conflict, "there are too many pending invites");
  const bool renews = std::ranges::find(pending, email, &OperatorInvite::id) != pending.end();
  OperatorInvite invite{email, UserId(by.caller.id), deps_.clock.now()};
  invite.address = identity::lowerAscii(address.text);
  auto alongside =
      auditOf(deps_, by.caller, store::kControlProject, "operator.invited", "operators/" + email, addressed(email));
  std::string job;
  if (mails_.begin(email)) {
    const std::string token = randomToken(kOperatorTokenBytes);
    const Timestamp end{deps_.clock.now().ms + kInviteLinkMs};
    auto letter =
        deps_.mailer.asChange(letterTo(*invite.address, by.caller, deps_.baseUrl, token, end), store::kControlProject);
    if (letter) {
      job = letter->first.id;
      alongside.push_back({letter->first.collection, std::move(letter->second.after)});
      invite.tokenHash = toHex(sha256(token));
      invite.tokenExpiresAt = end;
    } else {
      logInfo("no mail can be sent to an address", {{"message", letter.error().message()}});
    }
  }
  std::vector<store::WriteTarget> targets;
  targets.push_back(userTarget(by.caller.id));
  targets.push_back(target(kInvitedAddresses, email));
  targets.push_back(target(kOperatorInvites, email));
  store::Judge judge = [&](Before before) -> Result<Changes> {
    CHECK(mustOperate(before[0]));
    TRY(std::optional<InvitedAddress> invited, fromStore<InvitedAddress>(before[1]));
    TRY(const std::optional<OperatorInvite> earlier, fromStore<OperatorInvite>(before[2]));
    if (renews && !earlier) return fail(ErrorCode::staleCatalogue, "the invite was used or taken back since");
    if (earlier) {
      invite.createdAt = earlier->createdAt;
      if (!invite.tokenHash) {
        invite.tokenHash = earlier->tokenHash;
        invite.tokenExpiresAt = earlier->tokenExpiresAt;
      }
    }
    if (!invited) invited = InvitedAddress{email, 0};
    ++invited->revision;
    Changes changes(3);
    changes[1] = store::Change::put(doc::encode(*invited));
    changes[2] = store::Change::put(doc::encode(invite));
    return changes;
  };
  const auto outcome = co_await commit(deps_, by, {}, std::move(targets), std::move(judge), std::move(alongside));
  if (!outcome && outcome.error().code() == ErrorCode::staleCatalogue) co_return false;
  if (!outcome) co_return fail(outcome.error().clone());
  if (!job.empty()) deps_.mailer.wake(job);
  co_return true;
}

Task<> Operators::revoke(By by, std::string email) {
  const auto address = identity::parseEmail(email);
  if (!address) co_return fail(ErrorCode::notFound, "no such invite");
  const std::string& key = address->key;
  std::vector<store::WriteTarget> targets;
  targets.push_back(userTarget(by.caller.id));
  targets.push_back(target(kOperatorInvites, key));
  store::Judge judge = [&](Before before) -> Result<Changes> {
    CHECK(mustOperate(before[0]));
    if (!before[1]) {
      if (named(key)) return fail(ErrorCode::conflict, "this address is named in SERVICE_OPERATORS: take it out there");
      return fail(ErrorCode::notFound, "no such invite");
    }
    Changes changes(2);
    changes[1] = store::Change::remove();
    return changes;
  };
  auto audit =
      auditOf(deps_, by.caller, store::kControlProject, "operator.inviteCancelled", "operators/" + key, addressed(key));
  CO_CHECK(co_await commit(deps_, by, {}, std::move(targets), std::move(judge), std::move(audit)));
  co_return Result<>();
}

}  // namespace mb::projects
