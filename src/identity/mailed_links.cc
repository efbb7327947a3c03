#include "identity/mailed_links.h"

#include "base/log.h"
#include "identity/audited.h"
#include "identity/email.h"
#include "identity/mfa.h"
#include "identity/records.h"
#include "identity/second_factor.h"

namespace mb::identity {

namespace {

constexpr int kMostWaiting = 1024;
constexpr int kMostPlans = 3;
// The work behind an answer begins at some time within this, so that the next answer does not show it either.
constexpr uint64_t kSpreadMs = 250;

using Before = std::span<const std::optional<doc::Document>>;

// What becomes of a second factor when a link proves the address of `user`, who is as before. One that was activated
// before anybody had proven the address may be that of another, who made the account: it is marked, and goes with the
// next reset, so that it never locks the owner of the address out.
Result<store::Change> changeOf(std::optional<SecondFactorRecord> factor, UserRecord& user, bool reset) {
  if (!factor || (user.emailVerified && !factor->unproven.value_or(false))) return store::Change::keep();
  if (reset) {
    user.mfaEnabled = false;
    return store::Change::remove();
  }
  factor->unproven = true;
  return store::Change::put(doc::encode(*factor));
}

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

// What proves the address of an account.
struct MailedLinks::Use {
  enum class Kind { verify, reset, accept };
  Realm realm;
  Kind kind = Kind::verify;
  std::string token;
  policy::Caller by;
  UserRecord user = {};                  // as read
  std::string passwordHash = {};         // the new one of a reset and of an acceptance
  doc::Nullable<std::string> name = {};  // of an acceptance
  std::string address = {};              // likewise: where the invitation was sent
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
  Use use{realm, Use::Kind::verify, std::move(token), std::move(by)};
  CO_TRY(use.user, co_await holder(use.realm, LinkPurpose::verifyEmail, use.token));
  const std::optional<Timestamp> signedOutAt = use.user.signedOutAt;
  CO_TRY(const UserRecord user, co_await settle(std::move(use), deadline));
  if (user.signedOutAt != signedOutAt) {
    co_return co_await sessions_.endAll(std::move(realm), user.id, std::nullopt, deadline);
  }
  // Tokens in hand show the proven address from the next request on.
  co_return co_await sessions_.recheck(std::move(realm), user.id, deadline);
}

Task<> MailedLinks::reset(Realm realm, PasswordReset input, policy::Caller by, store::Deadline deadline) {
  Use use{realm, Use::Kind::reset, std::move(input.token), std::move(by)};
  CO_TRY(use.user, co_await holder(use.realm, LinkPurpose::resetPassword, use.token));
  CO_CHECK(checkPasswordRules(input.password, use.user.email));
  CO_TRY(use.passwordHash, co_await passwords_.hash(realm, std::move(input.password)));
  CO_TRY(const UserRecord user, co_await settle(std::move(use), deadline));
  users_.forgiveLogins(realm, user.emailKey);
  co_return co_await sessions_.endAll(std::move(realm), user.id, std::nullopt, deadline);
}

Task<UserRecord> MailedLinks::acceptInvite(InviteAcceptance input, policy::Caller by, store::Deadline deadline) {
  const Realm realm = Realm::platform();
  for (int attempt = 0; attempt < kMostPlans; ++attempt) {
    CO_TRY(const std::optional<std::string> address, co_await users_.invitedAddress(input.token));
    if (!address) co_return fail(badToken());
    CO_TRY(std::optional<UserRecord> user, co_await users_.byEmail(realm, *address));
    if (user) {
      Use use{realm, Use::Kind::accept, input.token, by, *std::move(user)};
      use.address = *address;
      CO_TRY(use.name, userName(input.name));
      co_return co_await takeOver(std::move(use), std::move(input.password), deadline);
    }
    auto made = co_await users_.registerInvited({*address, input.password, input.name, input.token}, deadline);
    if (made || made.error().code() != ErrorCode::emailTaken) co_return made;
  }
  co_return fail(ErrorCode::conflict, "another registration came first, try again");
}

Task<UserRecord> MailedLinks::takeOver(Use use, std::string password, store::Deadline deadline) {
  if (use.user.emailVerified || !use.user.active()) co_return fail(badToken());
  CO_CHECK(checkPasswordRules(password, use.address));
  CO_TRY(use.passwordHash, co_await passwords_.hash(use.realm, std::move(password)));
  const Realm realm = use.realm;
  CO_TRY(UserRecord user, co_await settle(std::move(use), deadline));
  users_.forgiveLogins(realm, user.emailKey);
  CO_CHECK(co_await sessions_.endAll(realm, user.id, std::nullopt, deadline));
  co_return user;
}

Task<std::vector<std::string>> MailedLinks::identitiesOf(Realm realm, UserId user, store::Deadline deadline) {
  CO_TRY(const store::QueryResult found,
         co_await deps_.store.find(
             queryOf(collectionOf(realm.project, kIdentities), equalsText("userId", user.str()), kPage, deadline)));
  std::vector<std::string> ids;
  for (const doc::Document& identity : found.documents) ids.emplace_back(identity.view().stringOr("id"));
  co_return ids;
}

Task<UserRecord> MailedLinks::settle(Use use, store::Deadline deadline) {
  using Kind = Use::Kind;
  // What the commit reads, in this order; then the account's identities, where they go.
  enum At : size_t { kUser, kVerifyToken, kFactor, kEnrollment, kResetToken };
  const std::string kind = use.realm.control ? "platform" : "user";
  for (int attempt = 1;; ++attempt) {
    const bool proves = !use.user.emailVerified;
    RegistrationPlan plan;
    std::vector<std::string> identities;
    if (proves) {
      CO_TRY(plan, co_await users_.planProven(use.realm, use.user, use.kind == Kind::accept ? use.token : ""));
    }
    if (use.kind == Kind::accept && !(proves && plan.byInvite)) co_return fail(badToken());
    const bool takesOver = use.kind == Kind::accept || plan.invited;
    // Whoever made an account that nobody had proven may be another.
    const bool dropsIdentities = proves && (takesOver || use.kind == Kind::reset);
    if (dropsIdentities) {
      CO_TRY(identities, co_await identitiesOf(use.realm, use.user.id, deadline));
    }
    MailPart mail;
    if (use.kind == Kind::reset) {
      CO_TRY(mail, co_await mail_.passwordChanged(use.realm, use.user));
    } else if (use.kind == Kind::verify && takesOver) {
      CO_TRY(mail, co_await mail_.link(use.realm, LinkPurpose::resetPassword, use.user));
    }
    std::vector<store::Insert> audit = deps_.auditor.entry(use.realm.project,
                                                           use.kind == Kind::reset    ? "user.passwordReset"
                                                           : use.kind == Kind::accept ? "user.inviteAccepted"
                                                                                      : "user.emailVerified",
                                                           {kind, use.user.id.str(), use.user.email},
                                                           "users/" + use.user.id.str(), use.by.ip, use.by.requestId);
    std::vector<store::WriteTarget> targets{targetOf(use.realm.project, kUsers, use.user.id.str()),
                                            tokenTarget(use.realm, LinkPurpose::verifyEmail, use.user.id),
                                            targetOf(use.realm.project, kSecondFactors, use.user.id.str()),
                                            targetOf(use.realm.project, kChallenges, enrollmentId(use.user.id))};
    // A mail with a link for a new password brings this one along.
    if (use.kind != Kind::verify) targets.push_back(tokenTarget(use.realm, LinkPurpose::resetPassword, use.user.id));
    const size_t identitiesAt = targets.size();
    for (const std::string& id : identities) targets.push_back(targetOf(use.realm.project, kIdentities, id));
    const size_t own = targets.size();
    const size_t planned = plan.targets.size();
    std::move(plan.targets.begin(), plan.targets.end(), std::back_inserter(targets));
    targets.insert(targets.end(), mail.targets.begin(), mail.targets.end());
    addTargets(targets, audit);
    if (takesOver) plan.bumpEpochs.push_back(use.realm.project);

    store::WriteOptions options{
        .deadline = deadline, .actor = {kind, use.user.id.str()}, .bumpEpochs = std::move(plan.bumpEpochs)};
    UserRecord stored;
    store::Judge judge = [&](Before before) -> Result<std::vector<store::Change>> {
      if (!before[kUser]) return fail(badToken());
      TRY(UserRecord user, fromStore<UserRecord>(before[kUser]->view()));
      const Timestamp now = deps_.clock.now();
      if (use.kind == Kind::verify) CHECK(checkToken(before[kVerifyToken], use.token, user, now));
      if (use.kind == Kind::reset) CHECK(checkToken(before[kResetToken], use.token, user, now));
      if (use.kind == Kind::accept && !user.active()) return fail(badToken());
      if (user.emailVerified == proves) return fail(ErrorCode::staleCatalogue, "the account changed since it was read");
      TRY(std::optional<SecondFactorRecord> factor, fromStore<SecondFactorRecord>(before[kFactor]));
      const auto removed = [&](size_t at) { return before[at] ? store::Change::remove() : store::Change::keep(); };
      store::Change factorChange;
      if (takesOver) {
        factorChange = removed(kFactor);
        user.mfaEnabled = false;
      } else {
        TRY(factorChange, changeOf(factor, user, use.kind == Kind::reset));
      }
      user.emailVerified = true;
      user.updatedAt = now;
      if (takesOver || use.kind == Kind::reset) {
        user.passwordHash = use.passwordHash;
        user.signedOutAt = now;
      }
      if (use.kind == Kind::accept) {
        // Another spelling of the address: the mail went to this one.
        if (lowerAscii(user.email) != lowerAscii(use.address)) user.email = use.address;
        user.name = use.name;
      }
      std::vector<store::Change> beside;
      if (plan.judge) {
        TRY(beside, plan.judge(user, before.subspan(own, planned)));
      }
      std::vector<store::Change> changes;
      changes.push_back(store::Change::put(doc::encode(user)));
      changes.push_back(removed(kVerifyToken));
      changes.push_back(std::move(factorChange));
      changes.push_back(dropsIdentities ? removed(kEnrollment) : store::Change::keep());
      if (use.kind != Kind::verify) changes.push_back(removed(kResetToken));
      for (size_t at = identitiesAt; at < own; ++at) changes.push_back(removed(at));
      std::move(beside.begin(), beside.end(), std::back_inserter(changes));
      addMail(changes, mail, true);
      addPuts(changes, audit);
      stored = std::move(user);
      return changes;
    };
    const auto outcome = co_await deps_.store.write(std::move(targets), std::move(judge), std::move(options));
    if (outcome && outcome->committed()) {
      mail_.wake(mail);
      co_return stored;
    }
    if (!outcome && outcome.error().code() != ErrorCode::staleCatalogue) co_return fail(outcome.error().clone());
    if (!outcome && attempt < kMostPlans) {
      CO_TRY(std::optional<UserRecord> now, co_await users_.get(use.realm, use.user.id));
      if (!now) co_return fail(badToken());
      use.user = *std::move(now);
      continue;
    }
    co_return fail(ErrorCode::conflict, "something else came first, try again");
  }
}

}  // namespace mb::identity
