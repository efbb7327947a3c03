#include "identity/mailed_links.h"

#include "base/log.h"
#include "identity/audited.h"
#include "identity/email.h"
#include "identity/records.h"

namespace mb::identity {

namespace {

constexpr int kMostWaiting = 1024;
constexpr int kMostPlans = 3;
// The work behind an answer begins at some time within this, so that the next answer does not show it either.
constexpr uint64_t kSpreadMs = 250;

using Before = std::span<const std::optional<doc::Document>>;

}  // namespace

// ---- asking for a link

Result<> MailedLinks::request(Realm realm, LinkPurpose purpose, std::string email) {
  if (waiting_.fetch_add(1) >= kMostWaiting) {
    waiting_.fetch_sub(1);
    return fail(ErrorCode::unavailable, "too much to do, try again later");
  }
  const auto& executor = deps_.cores.at(Cores::current()).get_executor();
  if (!background_.spawn(executor, mailLater(std::move(realm), purpose, std::move(email)))) {
    waiting_.fetch_sub(1);
    return fail(ErrorCode::unavailable, "the server is stopping");
  }
  return {};
}

Async<void> MailedLinks::mailLater(Realm realm, LinkPurpose purpose, std::string email) {
  co_await sleepFor(std::chrono::milliseconds(randomU64() % kSpreadMs));
  const auto mailed = co_await mailLink(std::move(realm), purpose, std::move(email));
  waiting_.fetch_sub(1);
  if (!mailed) logWarn("a mail could not be made", {{"message", mailed.error().message()}});
}

Task<> MailedLinks::mailLink(Realm realm, LinkPurpose purpose, std::string email) {
  // Counted for unknown addresses too: what is known must not change how often one may ask.
  if (!mail_.mayMail(realm, emailKey(email))) co_return Result<>();
  CO_TRY(const std::optional<UserRecord> user, co_await users_.byEmail(realm, std::move(email)));
  if (!user || !user->active()) co_return Result<>();
  if (purpose == LinkPurpose::verifyEmail && user->emailVerified) co_return Result<>();
  CO_TRY(MailPart part, co_await mail_.link(realm, purpose, *user));
  co_return co_await mail_.commit(std::move(part), readDeadline());
}

// ---- using it

// A token about to be taken.
struct MailedLinks::Use {
  Realm realm;
  LinkPurpose purpose = LinkPurpose::verifyEmail;
  std::string token;
  UserRecord user;           // as read
  std::string passwordHash;  // the new one of a reset
  policy::Caller by;
};

Task<UserRecord> MailedLinks::holder(Realm realm, LinkPurpose purpose, std::string token) {
  const std::optional<UserId> id = userOfToken(token);
  if (!id) co_return fail(badToken());
  store::WriteTarget place = tokenTarget(realm, purpose, *id);
  CO_TRY(const std::optional<doc::Document> stored, co_await deps_.store.get(place.collection, std::move(place.id)));
  CO_TRY(std::optional<UserRecord> user, co_await users_.get(realm, *id));
  if (!user) co_return fail(badToken());
  CO_CHECK(checkToken(stored, token, *user, deps_.clock.now()));
  co_return *std::move(user);
}

Task<> MailedLinks::verify(Realm realm, std::string token, policy::Caller by, store::Deadline deadline) {
  Use use{realm, LinkPurpose::verifyEmail, std::move(token), {}, "", std::move(by)};
  CO_TRY(use.user, co_await holder(use.realm, use.purpose, use.token));
  const UserId user = use.user.id;
  CO_CHECK(co_await settle(std::move(use), deadline));
  // Tokens in hand show the proven address from the next request on.
  co_return co_await sessions_.recheck(std::move(realm), user, deadline);
}

Task<> MailedLinks::reset(Realm realm, PasswordReset input, policy::Caller by, store::Deadline deadline) {
  Use use{realm, LinkPurpose::resetPassword, std::move(input.token), {}, "", std::move(by)};
  CO_TRY(use.user, co_await holder(use.realm, use.purpose, use.token));
  CO_CHECK(checkPasswordRules(input.password, use.user.email));
  CO_TRY(use.passwordHash, co_await passwords_.hash(std::move(input.password)));
  const UserRecord user = use.user;
  CO_CHECK(co_await settle(std::move(use), deadline));
  users_.forgiveLogins(realm, user.emailKey);
  co_return co_await sessions_.endAll(std::move(realm), user.id, std::nullopt, deadline);
}

Task<> MailedLinks::settle(Use use, store::Deadline deadline) {
  const bool reset = use.purpose == LinkPurpose::resetPassword;
  MailPart notice;
  if (reset) {
    CO_TRY(notice, co_await mail_.passwordChanged(use.realm, use.user));
  }
  const std::string kind = use.realm.control ? "platform" : "user";
  for (int attempt = 1;; ++attempt) {
    RegistrationPlan plan;
    if (!use.user.emailVerified) {
      CO_TRY(plan, co_await users_.planProven(use.realm, use.user));
    }
    std::vector<store::Insert> audit = deps_.auditor.entry(
        use.realm.project, reset ? "user.passwordReset" : "user.emailVerified",
        {kind, use.user.id.str(), use.user.email}, "users/" + use.user.id.str(), use.by.ip, use.by.requestId);
    std::vector<store::WriteTarget> targets{tokenTarget(use.realm, use.purpose, use.user.id),
                                            targetOf(use.realm.project, kUsers, use.user.id.str())};
    // A reset proves the address, so the link for that is used up with it.
    if (reset) targets.push_back(tokenTarget(use.realm, LinkPurpose::verifyEmail, use.user.id));
    if (reset) targets.push_back(targetOf(use.realm.project, kSecondFactors, use.user.id.str()));
    const size_t own = targets.size();
    const size_t planned = plan.targets.size();
    std::move(plan.targets.begin(), plan.targets.end(), std::back_inserter(targets));
    targets.insert(targets.end(), notice.targets.begin(), notice.targets.end());
    addTargets(targets, audit);

    store::WriteOptions options{
        .deadline = deadline, .actor = {kind, use.user.id.str()}, .bumpEpochs = std::move(plan.bumpEpochs)};
    store::Judge judge = [&](Before before) -> Result<std::vector<store::Change>> {
      if (!before[1]) return fail(badToken());
      TRY(UserRecord user, fromStore<UserRecord>(before[1]->view()));
      const Timestamp now = deps_.clock.now();
      CHECK(checkToken(before[0], use.token, user, now));
      // Nobody had proven the address: a second factor may be that of somebody else, who made the account.
      const bool foreignFactor = reset && !user.emailVerified && before[3];
      if (foreignFactor) user.mfaEnabled = false;
      user.emailVerified = true;
      user.updatedAt = now;
      if (reset) {
        user.passwordHash = use.passwordHash;
        user.signedOutAt = now;
      }
      std::vector<store::Change> beside;
      if (plan.judge) {
        TRY(beside, plan.judge(user, before.subspan(own, planned)));
      }
      std::vector<store::Change> changes;
      changes.push_back(store::Change::remove());
      changes.push_back(store::Change::put(doc::encode(user)));
      if (reset) {
        changes.push_back(before[2] ? store::Change::remove() : store::Change::keep());
        changes.push_back(foreignFactor ? store::Change::remove() : store::Change::keep());
      }
      std::move(beside.begin(), beside.end(), std::back_inserter(changes));
      addMail(changes, notice, true);
      addPuts(changes, audit);
      return changes;
    };
    const auto outcome = co_await deps_.store.write(std::move(targets), std::move(judge), std::move(options));
    if (outcome) break;
    if (outcome.error().code() != ErrorCode::staleCatalogue) co_return fail(outcome.error().clone());
    if (attempt == kMostPlans) co_return fail(ErrorCode::conflict, "something else came first, try again");
  }
  mail_.wake(notice);
  co_return Result<>();
}

}  // namespace mb::identity
