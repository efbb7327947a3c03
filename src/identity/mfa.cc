#include "identity/mfa.h"

#include "identity/audited.h"
#include "identity/factor_reset.h"
#include "identity/records.h"
#include "identity/second_factor.h"
#include "identity/totp.h"
#include "identity/user_write.h"

namespace mb::identity {

namespace {

using Before = std::span<const std::optional<doc::Document>>;
using Changes = std::vector<store::Change>;

Error noUser() {
  return Error(ErrorCode::notFound, "no such user");
}
Error isOn() {
  return Error(ErrorCode::conflict, "the second factor is on already");
}
Error wrongCode() {
  return invalid("/code", "is not right, or was used already");
}

// A factor on somebody else's address would lock its owner out. Where no mails are sent, nobody can prove theirs.
Result<> checkProven(const IdentityDeps& deps, const UserRecord& user) {
  if (user.emailVerified || !deps.mailer.delivers()) return {};
  return fail(ErrorCode::emailUnverified, "the email address is not verified: follow the link in the mail first");
}

Result<UserRecord> userIn(const std::optional<doc::Document>& stored) {
  if (!stored) return fail(noUser());
  return fromStore<UserRecord>(stored->view());
}

}  // namespace

Result<> Mfa::begin(const Realm& realm, const UserId& user) {
  return guard_.begin(std::to_string(realm.project) + "|" + user.str());
}

void Mfa::forgive(const Realm& realm, const UserId& user) {
  guard_.forgive(std::to_string(realm.project) + "|" + user.str());
}

std::vector<store::Insert> Mfa::entry(const Realm& realm, std::string action, const policy::Caller& by,
                                      const UserId& user) const {
  return deps_.auditor.entry(realm.project, std::move(action), auditActorOf(by), "users/" + user.str(), by.ip,
                             by.requestId);
}

Task<> Mfa::commit(std::vector<store::WriteTarget> targets, store::Judge judge, policy::Caller by,
                   store::Deadline deadline) {
  store::WriteOptions options{.deadline = deadline, .actor = actorOf(by), .bumpEpochs = {}};
  CO_CHECK(co_await deps_.store.write(std::move(targets), std::move(judge), std::move(options)));
  co_return Result<>();
}

Task<TotpEnrollment> Mfa::enroll(Realm realm, UserId user, std::string issuer, store::Deadline deadline) {
  CO_TRY(const std::optional<doc::Document> stored,
         co_await deps_.store.get(collectionOf(realm.project, kUsers), user.str()));
  CO_TRY(const UserRecord record, userIn(stored));
  if (record.mfaEnabled) co_return fail(isOn());
  CO_CHECK(checkProven(deps_, record));
  std::array<uint8_t, kTotpSecretBytes> bytes{};
  fillRandom(bytes);
  const Secret secret(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  ChallengeRecord pending;
  pending.id = enrollmentId(user);
  pending.userId = user;
  pending.expiresAt = {deps_.clock.now().ms + kEnrollmentMs};
  pending.secret = sealSecret(deps_, user, secret.reveal());
  CO_CHECK(co_await challenges_.put(realm, std::move(pending), Existing::replace, deadline));
  co_return TotpEnrollment{toBase32(secret.reveal()), otpauthUrl(issuer, record.email, secret.reveal())};
}

Task<RecoveryCodes> Mfa::activate(Realm realm, std::string code, policy::Caller by, store::Deadline deadline) {
  const UserId user(by.id);
  CO_CHECK(begin(realm, user));
  RecoveryCodes codes;
  SecondFactorRecord factor{.id = user, .secret = {}, .lastStep = 0, .recovery = {}, .createdAt = deps_.clock.now()};
  for (size_t i = 0; i < kRecoveryCodes; ++i) {
    codes.recoveryCodes.push_back(makeRecoveryCode());
    factor.recovery.push_back(recoveryDigest(user, plainCode(codes.recoveryCodes.back())));
  }
  auto entries = entry(realm, "mfa.activate", by, user);
  std::vector<store::WriteTarget> targets{targetOf(realm.project, kUsers, user.str()),
                                          targetOf(realm.project, kSecondFactors, user.str()),
                                          targetOf(realm.project, kChallenges, enrollmentId(user))};
  addTargets(targets, entries);
  store::Judge judge = [this, factor = std::move(factor), entries = std::move(entries),
                        code = std::move(code)](Before before) mutable -> Result<Changes> {
    TRY(UserRecord record, userIn(before[0]));
    if (record.mfaEnabled) return fail(isOn());
    CHECK(checkProven(deps_, record));
    if (!before[2]) return fail(ErrorCode::conflict, "no enrollment is under way");
    TRY(const ChallengeRecord pending, fromStore<ChallengeRecord>(before[2]->view()));
    if (pending.expiresAt <= factor.createdAt) return fail(ErrorCode::conflict, "this enrollment has expired");
    TRY(const Secret secret, openSecret(deps_, factor.id, pending.secret));
    const auto step = totpStep(secret.reveal(), plainCode(code), factor.createdAt, 0);
    if (!step) return fail(wrongCode());
    factor.secret = pending.secret;
    factor.lastStep = *step;
    if (!record.emailVerified) factor.unproven = true;
    record.mfaEnabled = true;
    record.updatedAt = factor.createdAt;
    Changes changes;
    changes.push_back(store::Change::put(doc::encode(record)));
    changes.push_back(store::Change::put(doc::encode(factor)));
    changes.push_back(store::Change::remove());
    addPuts(changes, entries);
    return changes;
  };
  auto done = co_await commit(std::move(targets), std::move(judge), std::move(by), deadline);
  if (done || done.error().code() != ErrorCode::validation) forgive(realm, user);
  CO_CHECK(std::move(done));
  co_return codes;
}

Task<> Mfa::disable(Realm realm, std::string code, policy::Caller by, store::Deadline deadline) {
  const UserId user(by.id);
  CO_CHECK(begin(realm, user));
  auto entries = entry(realm, "mfa.disable", by, user);
  std::vector<store::WriteTarget> targets{targetOf(realm.project, kUsers, user.str()),
                                          targetOf(realm.project, kSecondFactors, user.str())};
  addTargets(targets, entries);
  store::Judge judge = [this, entries = std::move(entries),
                        code = std::move(code)](Before before) mutable -> Result<Changes> {
    TRY(UserRecord record, userIn(before[0]));
    if (!record.mfaEnabled || !before[1]) return fail(ErrorCode::conflict, "the second factor is not on");
    TRY(SecondFactorRecord factor, fromStore<SecondFactorRecord>(before[1]->view()));
    TRY(const CodeKind kind, useCode(deps_, factor, code));
    if (kind == CodeKind::wrong) return fail(wrongCode());
    record.mfaEnabled = false;
    record.updatedAt = deps_.clock.now();
    Changes changes;
    changes.push_back(store::Change::put(doc::encode(record)));
    changes.push_back(store::Change::remove());
    addPuts(changes, entries);
    return changes;
  };
  auto done = co_await commit(std::move(targets), std::move(judge), std::move(by), deadline);
  if (done || done.error().code() != ErrorCode::validation) forgive(realm, user);
  co_return done;
}

Task<> Mfa::reset(Realm realm, UserId user, policy::Caller by, store::Deadline deadline) {
  if (!isId(UserTag::prefix, user.str())) co_return fail(noUser());
  auto entries = entry(realm, "mfa.reset", by, user);
  std::vector<store::WriteTarget> targets = factorTargets(realm, user);
  addTargets(targets, entries);
  store::Judge judge = [entries = std::move(entries),
                        now = deps_.clock.now()](Before before) mutable -> Result<Changes> {
    TRY(Changes changes, withoutFactor(before, now));
    addPuts(changes, entries);
    return changes;
  };
  CO_CHECK(co_await writeUser(deps_, std::move(realm), UserWriteCheck::always, std::move(by), std::move(targets),
                              std::move(judge), deadline));
  co_return Result<>();
}

}  // namespace mb::identity
