#include "identity/mfa.h"

#include "identity/factor_reset.h"
#include "identity/records.h"
#include "identity/second_factor.h"
#include "identity/totp.h"
#include "identity/user_write.h"

namespace mb::identity {

namespace {

Error noUser() {
  return Error(ErrorCode::notFound, "no such user");
}
Error isOn() {
  return Error(ErrorCode::conflict, "the second factor is on already");
}
Error wrongCode() {
  return invalid("/code", "is wrong, or was used already");
}

// A factor on another person's address would lock its owner out. Where no mails are sent, no address can be verified.
Result<> checkVerified(const IdentityDeps& deps, const UserRecord& user) {
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

void Mfa::refundAttempt(const Realm& realm, const UserId& user) {
  guard_.refundAttempt(std::to_string(realm.project) + "|" + user.str());
}

std::vector<store::Insert> Mfa::entry(const Realm& realm, std::string action, const policy::Caller& by,
                                      const UserId& user) const {
  return deps_.auditor.entry(realm.project, std::move(action), auditActorOf(by), "users/" + user.str(), by.ip,
                             by.requestId);
}

Task<TotpEnrollment> Mfa::enroll(Realm realm, UserId user, std::string issuer, store::Deadline deadline) {
  CO_TRY(const std::optional<doc::Document> stored,
         co_await deps_.store.get(collectionOf(realm.project, kUsers), user.str()));
  CO_TRY(const UserRecord record, userIn(stored));
  if (record.mfaEnabled) co_return fail(isOn());
  CO_RETURN_IF_ERROR(checkVerified(deps_, record));
  std::array<uint8_t, kTotpSecretBytes> bytes{};
  fillRandom(bytes);
  const Secret secret(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  ChallengeRecord pending;
  pending.id = enrollmentId(user);
  pending.userId = user;
  pending.expiresAt = {deps_.clock.now().ms + kEnrollmentMs};
  pending.secret = sealSecret(deps_, user, secret.reveal());
  CO_RETURN_IF_ERROR(co_await challenges_.put(realm, std::move(pending), Existing::replace, deadline));
  co_return TotpEnrollment{toBase32(secret.reveal()), otpauthUrl(issuer, record.email, secret.reveal())};
}

Task<RecoveryCodes> Mfa::activate(Realm realm, std::string code, policy::Caller by, store::Deadline deadline) {
  const UserId user(by.id);
  CO_RETURN_IF_ERROR(begin(realm, user));
  RecoveryCodes codes;
  SecondFactorRecord factor{.id = user, .secret = {}, .lastStep = 0, .recovery = {}, .createdAt = deps_.clock.now()};
  for (size_t i = 0; i < kRecoveryCodes; ++i) {
    codes.recoveryCodes.push_back(makeRecoveryCode());
    factor.recovery.push_back(recoveryDigest(user, plainCode(codes.recoveryCodes.back())));
  }
  store::Write write({.deadline = deadline, .actor = actorOf(by), .bumpEpochs = {}});
  const store::Target owner = write.change(targetOf(realm.project, kUsers, user.str()));
  const store::Target target = write.change(targetOf(realm.project, kSecondFactors, user.str()));
  const store::Target enrollment = write.change(targetOf(realm.project, kChallenges, enrollmentId(user)));
  write.insert(entry(realm, "mfa.activate", by, user));
  auto done = co_await deps_.store.write(
      std::move(write),
      [&deps = std::as_const(deps_), owner, target, enrollment, prepared = std::move(factor), code = std::move(code)](
          const store::PreImages& before, store::Changes& changes) -> Result<> {
        TRY(UserRecord record, userIn(before[owner]));
        if (record.mfaEnabled) return fail(isOn());
        RETURN_IF_ERROR(checkVerified(deps, record));
        if (!before[enrollment]) return fail(ErrorCode::conflict, "no enrollment is pending");
        TRY(const ChallengeRecord pending, fromStore<ChallengeRecord>(before[enrollment]->view()));
        if (pending.expiresAt <= prepared.createdAt) return fail(ErrorCode::conflict, "this enrollment has expired");
        TRY(const Secret secret, openSecret(deps, prepared.id, pending.secret));
        const auto step = totpStep(secret.reveal(), plainCode(code), prepared.createdAt, 0);
        if (!step) return fail(wrongCode());
        SecondFactorRecord factor = prepared;
        factor.secret = pending.secret;
        factor.lastStep = *step;
        if (!record.emailVerified) factor.unproven = true;
        record.mfaEnabled = true;
        record.updatedAt = factor.createdAt;
        changes.put(owner, doc::encode(record));
        changes.put(target, doc::encode(factor));
        changes.remove(enrollment);
        return {};
      });
  if (done || done.error().code() != ErrorCode::validation) refundAttempt(realm, user);
  CO_RETURN_IF_ERROR(std::move(done));
  co_return codes;
}

Task<> Mfa::disable(Realm realm, std::string code, policy::Caller by, store::Deadline deadline) {
  const UserId user(by.id);
  CO_RETURN_IF_ERROR(begin(realm, user));
  store::Write write({.deadline = deadline, .actor = actorOf(by), .bumpEpochs = {}});
  const store::Target owner = write.change(targetOf(realm.project, kUsers, user.str()));
  const store::Target target = write.change(targetOf(realm.project, kSecondFactors, user.str()));
  write.insert(entry(realm, "mfa.disable", by, user));
  auto done = co_await deps_.store.write(std::move(write),
                                         [&deps = std::as_const(deps_), owner, target, code = std::move(code)](
                                             const store::PreImages& before, store::Changes& changes) -> Result<> {
                                           TRY(UserRecord record, userIn(before[owner]));
                                           if (!record.mfaEnabled || !before[target])
                                             return fail(ErrorCode::conflict, "the second factor is not on");
                                           TRY(SecondFactorRecord factor,
                                               fromStore<SecondFactorRecord>(before[target]->view()));
                                           TRY(const CodeKind kind, useCode(deps, factor, code));
                                           if (kind == CodeKind::wrong) return fail(wrongCode());
                                           record.mfaEnabled = false;
                                           record.updatedAt = deps.clock.now();
                                           changes.put(owner, doc::encode(record));
                                           changes.remove(target);
                                           return {};
                                         });
  if (done || done.error().code() != ErrorCode::validation) refundAttempt(realm, user);
  CO_RETURN_IF_ERROR(std::move(done));
  co_return Result<>();
}

Task<> Mfa::reset(Realm realm, UserId user, policy::Caller by, store::Deadline deadline) {
  if (!isId(UserTag::prefix, user.str())) co_return fail(noUser());
  UserWrite write;
  write.entries = entry(realm, "mfa.reset", by, user);
  write.addTo = [realm, user, now = deps_.clock.now()](store::Write& to) -> UserChange {
    return [factor = addFactorTargets(to, realm, user), now](UserRecord& record, const store::PreImages&,
                                                             store::Changes& changes) -> Result<> {
      factor.remove(record, now, changes);
      return {};
    };
  };
  co_return co_await writeUser(deps_, std::move(realm), std::move(user), std::move(write), std::move(by), deadline);
}

}  // namespace mb::identity
