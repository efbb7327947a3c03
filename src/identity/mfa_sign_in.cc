// The second step of a sign-in: the code.
#include "identity/login_audit.h"
#include "identity/mfa.h"
#include "identity/prepared_documents.h"
#include "identity/records.h"
#include "identity/second_factor.h"

namespace mb::identity {

namespace {

constexpr size_t kTokenBytes = 32;
constexpr size_t kMaxTokenText = 128;

std::string challengeId(std::string_view token) {
  return "mfa:" + toHex(sha256(token));
}

// A digest of the password that the first factor was checked against.
std::string markOf(const UserRecord& user) {
  return toHex(sha256(user.passwordHash));
}

Error refusedChallenge() {
  return Error(ErrorCode::unauthenticated, "this mfaToken is not valid");
}

// The result of checking a code. A wrong code is counted in the store, so the write succeeds with it.
struct CodeOutcome {
  CodeKind kind = CodeKind::wrong;
  UserRecord user;
};

}  // namespace

Task<std::string> Mfa::challenge(Realm realm, UserRecord user, store::Deadline deadline) {
  std::string token = randomToken(kTokenBytes);
  ChallengeRecord record;
  record.id = challengeId(token);
  record.userId = user.id;
  record.expiresAt = {deps_.clock.now().ms + kMfaTokenMs};
  record.mark = markOf(user);
  CO_RETURN_IF_ERROR(co_await challenges_.put(realm, std::move(record), Existing::replace, deadline));
  co_return token;
}

Task<UserRecord> Mfa::verify(Realm realm, MfaVerification input, policy::Caller by, store::Deadline deadline) {
  if (input.mfaToken.empty() || input.mfaToken.size() > kMaxTokenText) co_return fail(refusedChallenge());
  std::string id = challengeId(input.mfaToken);
  CO_TRY(const std::optional<doc::Document> stored,
         co_await deps_.store.get(collectionOf(realm.project, kChallenges), id));
  CO_TRY(const std::optional<ChallengeRecord> found, fromStore<ChallengeRecord>(stored));
  if (!found) co_return fail(refusedChallenge());
  auto user = co_await tryCode(realm, found->userId, std::move(id), std::move(input.code), by, deadline);
  if (user) co_return user;
  const ErrorCode code = user.error().code();
  const std::string reason(code == ErrorCode::invalidCredentials ? "code" : refusalOf(code));
  if (!reason.empty()) {
    co_await noteFailedLogin(deps_, std::move(realm), {"mfa", reason, "", found->userId}, std::move(by));
  }
  co_return user;
}

Task<UserRecord> Mfa::tryCode(Realm realm, UserId user, std::string id, std::string code, policy::Caller by,
                              store::Deadline deadline) {
  CO_RETURN_IF_ERROR(begin(realm, user));
  by.id = user.str();
  by.kind = realm.control ? policy::CallerKind::platform : policy::CallerKind::endUser;
  store::Write write({.deadline = deadline, .actor = actorOf(by), .bumpEpochs = {}});
  const store::Target pending = write.change(targetOf(realm.project, kChallenges, id));
  const store::Target target = write.change(targetOf(realm.project, kSecondFactors, user.str()));
  const store::Target owner = write.hold(targetOf(realm.project, kUsers, user.str()));
  PreparedDocuments recoveryUsed;
  recoveryUsed.add(write, entry(realm, "mfa.recovery_used", by, user));
  auto tried = co_await store::writeReturning(
      deps_.store, std::move(write),
      [&deps = std::as_const(deps_), pending, target, owner, recoveryUsed = std::move(recoveryUsed),
       code = std::move(code),
       now = deps_.clock.now()](const store::PreImages& before, store::Changes& changes) -> Result<CodeOutcome> {
        if (!before[pending] || !before[target] || !before[owner]) return fail(refusedChallenge());
        TRY(ChallengeRecord challenge, fromStore<ChallengeRecord>(before[pending]->view()));
        TRY(SecondFactorRecord factor, fromStore<SecondFactorRecord>(before[target]->view()));
        CodeOutcome outcome;
        TRY(outcome.user, fromStore<UserRecord>(before[owner]->view()));
        if (challenge.expiresAt <= now || challenge.mark != markOf(outcome.user)) return fail(refusedChallenge());
        TRY(outcome.kind, useCode(deps, factor, code));
        if (outcome.kind != CodeKind::wrong) {
          changes.remove(pending);
          changes.put(target, doc::encode(factor));
          if (outcome.kind == CodeKind::recovery) recoveryUsed.put(changes);
        } else if (++challenge.tries >= kMaxMfaAttempts) {
          changes.remove(pending);
        } else {
          changes.put(pending, doc::encode(challenge));
        }
        return outcome;
      });
  if (!tried || tried->kind != CodeKind::wrong) refundAttempt(realm, user);
  CO_TRY(CodeOutcome outcome, std::move(tried));
  if (outcome.kind == CodeKind::wrong) co_return fail(ErrorCode::invalidCredentials, "this code is wrong");
  if (outcome.user.status == kStatusBlocked) co_return fail(ErrorCode::userBlocked, "this user is blocked");
  if (!outcome.user.active()) co_return fail(ErrorCode::userInactive, "this user is not active");
  co_return std::move(outcome.user);
}

}  // namespace mb::identity
