#include "identity/mailed_links.h"

#include <utility>

#include "base/log.h"
#include "identity/email.h"
#include "identity/mfa.h"
#include "identity/records.h"
#include "identity/second_factor.h"
#include "identity/user_names.h"
#include "store/retry.h"

namespace mb::identity {

namespace {

constexpr int kMaxWaiting = 1024;
constexpr int kMaxPlans = 3;
// The work starts at a random time within this after the response, so that the time of the next response does not show
// it either.
constexpr uint64_t kSpreadMs = 250;

// The change of a second factor when a link verifies the address of `user`, given as before the change. A factor that
// was activated while the address was unverified may belong to another person, who created the account: it is marked,
// and the next reset removes it, so that it never locks the owner of the address out.
Result<store::Change> changeOf(std::optional<SecondFactorRecord> factor, UserRecord& user, bool reset) {
  if (!factor || (user.emailVerified && !factor->unproven.value_or(false))) return store::Change::keep();
  if (reset) {
    user.mfaEnabled = false;
    return store::Change::remove();
  }
  factor->unproven = true;
  return store::Change::put(doc::encode(*factor));
}

Error linkConflict() {
  return Error(ErrorCode::conflict, "the account was changed by another request: try again");
}

}  // namespace

// ---- requesting a link

Result<> MailedLinks::request(Realm realm, LinkPurpose purpose, std::string email) {
  if (waiting_.fetch_add(1) >= kMaxWaiting) {
    waiting_.fetch_sub(1);
    return fail(ErrorCode::unavailable, "too many requests for links are waiting: try again later");
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
  if (!mailed) logWarn("mailing a link failed; it is not retried", {{"message", mailed.error().message()}});
}

Task<> MailedLinks::mailLink(Realm realm, LinkPurpose purpose, std::string email) {
  // Counted for unknown addresses too: the limit must not depend on whether the address is known.
  if (!mail_.mayMail(realm, emailKey(email))) co_return Result<>();
  CO_TRY(const std::optional<UserRecord> user, co_await users_.byEmail(realm, std::move(email)));
  if (!user || !user->active()) co_return Result<>();
  if (purpose == LinkPurpose::verifyEmail && user->emailVerified) co_return Result<>();
  CO_TRY(MailPart part, co_await mail_.link(realm, purpose, *user));
  co_return co_await mail_.commit(std::move(part), readDeadline());
}

// ---- using a link

// The use of a link that verifies the address of an account.
struct MailedLinks::LinkUse {
  enum class Kind { verify, reset, accept };
  Realm realm;
  Kind kind = Kind::verify;
  std::string token;
  policy::Caller by;
  UserRecord user = {};                  // as read
  std::string passwordHash = {};         // the new one of a reset and of an acceptance
  doc::Nullable<std::string> name = {};  // of an acceptance
  std::string address = {};              // of an acceptance: the address that the invitation was sent to
};

Task<UserRecord> MailedLinks::tokenOwner(Realm realm, LinkPurpose purpose, std::string token) {
  const std::optional<UserId> id = userOfToken(token);
  if (!id) co_return fail(badToken());
  store::WriteTarget target = tokenTarget(realm, purpose, *id);
  CO_TRY(const std::optional<doc::Document> stored, co_await deps_.store.get(target.collection, std::move(target.id)));
  CO_TRY(std::optional<UserRecord> user, co_await users_.get(realm, *id));
  if (!user) co_return fail(badToken());
  CO_RETURN_IF_ERROR(checkToken(stored, token, *user, deps_.clock.now()));
  co_return *std::move(user);
}

Task<> MailedLinks::verify(Realm realm, std::string token, policy::Caller by, store::Deadline deadline) {
  LinkUse use{realm, LinkUse::Kind::verify, std::move(token), std::move(by)};
  CO_TRY(use.user, co_await tokenOwner(use.realm, LinkPurpose::verifyEmail, use.token));
  const std::optional<Timestamp> signedOutAt = use.user.signedOutAt;
  CO_TRY(const UserRecord user, co_await commitUse(std::move(use), deadline));
  if (user.signedOutAt != signedOutAt) {
    co_return co_await sessions_.endAll(std::move(realm), user.id, std::nullopt, deadline);
  }
  co_return Result<>();
}

Task<> MailedLinks::reset(Realm realm, PasswordReset input, policy::Caller by, store::Deadline deadline) {
  LinkUse use{realm, LinkUse::Kind::reset, std::move(input.token), std::move(by)};
  CO_TRY(use.user, co_await tokenOwner(use.realm, LinkPurpose::resetPassword, use.token));
  CO_RETURN_IF_ERROR(checkPasswordRules(input.password, use.user.email));
  CO_TRY(use.passwordHash, co_await passwords_.hash(realm, std::move(input.password)));
  CO_TRY(const UserRecord user, co_await commitUse(std::move(use), deadline));
  users_.forgiveLogins(realm, user.emailKey);
  co_return co_await sessions_.endAll(std::move(realm), user.id, std::nullopt, deadline);
}

Task<UserRecord> MailedLinks::acceptInvite(InviteAcceptance input, policy::Caller by, store::Deadline deadline) {
  const Realm realm = Realm::platform();
  for (int attempt = 0; attempt < kMaxPlans; ++attempt) {
    CO_TRY(const std::optional<std::string> address, co_await users_.invitedAddress(input.token));
    if (!address) co_return fail(badToken());
    CO_TRY(std::optional<UserRecord> user, co_await users_.byEmail(realm, *address));
    if (user) {
      LinkUse use{realm, LinkUse::Kind::accept, input.token, by, *std::move(user)};
      use.address = *address;
      CO_TRY(use.name, userName(input.name));
      co_return co_await takeOver(std::move(use), std::move(input.password), deadline);
    }
    auto added = co_await users_.registerInvited({*address, input.password, input.name, input.token}, deadline);
    if (added || added.error().code() != ErrorCode::emailTaken) co_return added;
  }
  co_return fail(ErrorCode::conflict, "the address is being registered by another request: try again");
}

Task<UserRecord> MailedLinks::takeOver(LinkUse use, std::string password, store::Deadline deadline) {
  if (use.user.emailVerified || !use.user.active()) co_return fail(badToken());
  CO_RETURN_IF_ERROR(checkPasswordRules(password, use.address));
  CO_TRY(use.passwordHash, co_await passwords_.hash(use.realm, std::move(password)));
  const Realm realm = use.realm;
  CO_TRY(UserRecord user, co_await commitUse(std::move(use), deadline));
  users_.forgiveLogins(realm, user.emailKey);
  CO_RETURN_IF_ERROR(co_await sessions_.endAll(realm, user.id, std::nullopt, deadline));
  co_return user;
}

Task<std::vector<std::string>> MailedLinks::identitiesOf(Realm realm, UserId user, store::Deadline deadline) {
  CO_TRY(const store::QueryResult found,
         co_await deps_.store.find(queryOf(collectionOf(realm.project, kIdentities),
                                           doc::Filter::equals("userId", user.str()), kPage, deadline)));
  std::vector<std::string> ids;
  for (const doc::Document& identity : found.documents) ids.emplace_back(identity.view().stringOr("id"));
  co_return ids;
}

// The write callback of a link's use, with its documents.
struct MailedLinks::LinkWrite {
  LinkUse use;
  bool verifies = false;   // the address was not verified when the account was read
  bool takesOver = false;  // the account may be another person's: it loses its earlier credentials
  const Clock& clock;
  store::Target user;
  store::Target verifyToken;
  store::Target factor;
  std::optional<store::Target> resetToken = {};  // used up, or out of date
  std::vector<store::Target> dropped = {};       // an enrollment and the identities, where they are removed
  UserChange planned = {};
  PreparedDocuments mail = {};

  Result<UserRecord> operator()(const store::PreImages& before, store::Changes& changes) const {
    using Kind = LinkUse::Kind;
    if (!before[user]) return fail(badToken());
    TRY(UserRecord record, fromStore<UserRecord>(before[user]->view()));
    const Timestamp now = clock.now();
    if (use.kind == Kind::verify) RETURN_IF_ERROR(checkToken(before[verifyToken], use.token, record, now));
    if (use.kind == Kind::reset) RETURN_IF_ERROR(checkToken(before[*resetToken], use.token, record, now));
    if (use.kind == Kind::accept && !record.active()) return fail(badToken());
    if (record.emailVerified == verifies) return fail(ErrorCode::retry, "the account changed since it was read");
    TRY(std::optional<SecondFactorRecord> factorNow, fromStore<SecondFactorRecord>(before[factor]));
    if (takesOver) {
      changes.remove(factor);
      record.mfaEnabled = false;
    } else {
      TRY(store::Change change, changeOf(std::move(factorNow), record, use.kind == Kind::reset));
      changes.set(factor, std::move(change));
    }
    record.emailVerified = true;
    record.updatedAt = now;
    if (takesOver || use.kind == Kind::reset) {
      record.passwordHash = use.passwordHash;
      record.signedOutAt = now;
    }
    if (use.kind == Kind::accept) {
      // The account has another spelling of the address: store the one that received the mail.
      if (lowerAscii(record.email) != lowerAscii(use.address)) record.email = use.address;
      setName(record, use.name);
    }
    RETURN_IF_ERROR(planned(record, before, changes));
    changes.put(user, doc::encode(record));
    changes.remove(verifyToken);
    if (resetToken) changes.remove(*resetToken);
    for (const store::Target other : dropped) changes.remove(other);
    mail.put(changes);
    return record;
  }
};

Task<UserRecord> MailedLinks::commitUse(LinkUse use, store::Deadline deadline) {
  bool again = false;
  co_return co_await store::retryWrite(kMaxPlans, linkConflict(),
                                       [&] { return commitUseOnce(use, std::exchange(again, true), deadline); });
}

Task<UserRecord> MailedLinks::commitUseOnce(LinkUse use, bool again, store::Deadline deadline) {
  if (again) {
    CO_TRY(std::optional<UserRecord> now, co_await users_.get(use.realm, use.user.id));
    if (!now) co_return fail(badToken());
    use.user = *std::move(now);
  }
  using Kind = LinkUse::Kind;
  const Realm realm = use.realm;
  const UserId id = use.user.id;
  const bool verifies = !use.user.emailVerified;
  RegistrationPlan plan;
  if (verifies) {
    CO_TRY(plan, co_await users_.planProven(realm, use.user, use.kind == Kind::accept ? use.token : ""));
  }
  if (use.kind == Kind::accept && !(verifies && plan.byInvite)) co_return fail(badToken());
  const bool takesOver = use.kind == Kind::accept || plan.invited;
  // Another person may have created an account whose address was never verified.
  const bool dropsIdentities = verifies && (takesOver || use.kind == Kind::reset);
  std::vector<std::string> identities;
  if (dropsIdentities) {
    CO_TRY(identities, co_await identitiesOf(realm, id, deadline));
  }
  MailPart mail;
  if (use.kind == Kind::reset) {
    CO_TRY(mail, co_await mail_.passwordChanged(realm, use.user));
  } else if (use.kind == Kind::verify && takesOver) {
    CO_TRY(mail, co_await mail_.link(realm, LinkPurpose::resetPassword, use.user));
  }

  store::Write write({.deadline = deadline, .actor = {realm.userKind(), id.str()}, .bumpEpochs = {}});
  if (takesOver) write.options.bumpEpochs.push_back(realm.project);
  LinkWrite linkWrite{.use = use,
                      .verifies = verifies,
                      .takesOver = takesOver,
                      .clock = deps_.clock,
                      .user = write.change(targetOf(realm.project, kUsers, id.str())),
                      .verifyToken = write.change(tokenTarget(realm, LinkPurpose::verifyEmail, id)),
                      .factor = write.change(targetOf(realm.project, kSecondFactors, id.str()))};
  // After a verification the mail with a link for a new password may add this document itself.
  if (use.kind != Kind::verify) {
    linkWrite.resetToken = write.change(tokenTarget(realm, LinkPurpose::resetPassword, id));
  }
  if (dropsIdentities) {
    linkWrite.dropped.push_back(write.change(targetOf(realm.project, kChallenges, enrollmentId(id))));
  }
  for (const std::string& identity : identities) {
    linkWrite.dropped.push_back(write.change(targetOf(realm.project, kIdentities, identity)));
  }
  linkWrite.planned = plan.addTo(write);
  linkWrite.mail = mail.addTo(write);
  write.insert(deps_.auditor.entry(realm.project,
                                   use.kind == Kind::reset    ? "user.passwordReset"
                                   : use.kind == Kind::accept ? "user.inviteAccepted"
                                                              : "user.emailVerified",
                                   {std::string(store::nameOf(realm.userKind())), id.str(), use.user.email},
                                   "users/" + id.str(), use.by.ip, use.by.requestId));
  auto stored = co_await store::writeReturning(deps_.store, std::move(write), std::move(linkWrite));
  if (stored) mail_.wake(mail);
  if (!stored && store::indexViolation(stored.error())) co_return fail(linkConflict());
  co_return stored;
}

}  // namespace mb::identity
