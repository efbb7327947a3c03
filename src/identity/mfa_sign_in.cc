// The second step of a sign-in.
#include "identity/audited.h"
#include "identity/login_audit.h"
#include "identity/mfa.h"
#include "identity/records.h"
#include "identity/second_factor.h"

namespace mb::identity {

namespace {

using Before = std::span<const std::optional<doc::Document>>;
using Changes = std::vector<store::Change>;

constexpr size_t kTokenBytes = 32;
constexpr size_t kMaxTokenText = 128;

std::string challengeId(std::string_view token) {
  return "mfa:" + toHex(sha256(token));
}

// What the first factor was checked against.
std::string markOf(const UserRecord& user) {
  return toHex(sha256(user.passwordHash));
}

Error refusedChallenge() {
  return Error(ErrorCode::unauthenticated, "this mfaToken is not valid");
}

}  // namespace

// What became of one try, told by its judge: a wrong code is counted in the store, so it is no failure of the write.
struct Mfa::Verdict {
  UserId of;
  UserRecord user;
  CodeKind kind = CodeKind::wrong;
};

Task<std::string> Mfa::challenge(Realm realm, UserRecord user, store::Deadline deadline) {
  std::string token = randomToken(kTokenBytes);
  ChallengeRecord record;
  record.id = challengeId(token);
  record.userId = user.id;
  record.expiresAt = {deps_.clock.now().ms + kMfaTokenMs};
  record.mark = markOf(user);
  CO_CHECK(co_await challenges_.put(realm, std::move(record), Existing::replace, deadline));
  co_return token;
}

Task<UserRecord> Mfa::verify(Realm realm, MfaVerification input, policy::Caller by, store::Deadline deadline) {
  if (input.mfaToken.empty() || input.mfaToken.size() > kMaxTokenText) co_return fail(refusedChallenge());
  const auto verdict = std::make_shared<Verdict>();
  const auto tried = co_await tryCode(realm, challengeId(input.mfaToken), std::move(input.code), verdict, by, deadline);
  if (tried) co_return std::move(verdict->user);
  const ErrorCode code = tried.error().code();
  const std::string reason(code == ErrorCode::invalidCredentials ? "code" : refusalOf(code));
  if (!reason.empty()) {
    co_await noteFailedLogin(deps_, std::move(realm), {"mfa", reason, "", verdict->of}, std::move(by));
  }
  co_return fail(tried.error().clone());
}

Task<> Mfa::tryCode(Realm realm, std::string id, std::string code, std::shared_ptr<Verdict> verdict, policy::Caller by,
                    store::Deadline deadline) {
  CO_TRY(const std::optional<doc::Document> stored,
         co_await deps_.store.get(collectionOf(realm.project, kChallenges), id));
  CO_TRY(const std::optional<ChallengeRecord> found, fromStore<ChallengeRecord>(stored));
  if (!found) co_return fail(refusedChallenge());
  const UserId user = verdict->of = found->userId;
  CO_CHECK(begin(realm, user));

  by.id = user.str();
  by.kind = realm.control ? policy::CallerKind::platform : policy::CallerKind::endUser;
  auto entries = entry(realm, "mfa.recovery_used", by, user);
  std::vector<store::WriteTarget> targets{targetOf(realm.project, kChallenges, id),
                                          targetOf(realm.project, kSecondFactors, user.str()),
                                          targetOf(realm.project, kUsers, user.str())};
  addTargets(targets, entries);
  store::Judge judge = [this, verdict, entries = std::move(entries), code = std::move(code),
                        now = deps_.clock.now()](Before before) mutable -> Result<Changes> {
    if (!before[0] || !before[1] || !before[2]) return fail(refusedChallenge());
    TRY(ChallengeRecord challenge, fromStore<ChallengeRecord>(before[0]->view()));
    TRY(SecondFactorRecord factor, fromStore<SecondFactorRecord>(before[1]->view()));
    TRY(verdict->user, fromStore<UserRecord>(before[2]->view()));
    if (challenge.expiresAt <= now || challenge.mark != markOf(verdict->user)) return fail(refusedChallenge());
    TRY(verdict->kind, useCode(deps_, factor, code));
    Changes changes;
    if (verdict->kind == CodeKind::wrong) {
      const bool last = ++challenge.tries >= kMfaTries;
      changes.push_back(last ? store::Change::remove() : store::Change::put(doc::encode(challenge)));
      addKeeps(changes, 2 + entries.size());
      return changes;
    }
    changes.push_back(store::Change::remove());
    changes.push_back(store::Change::put(doc::encode(factor)));
    changes.push_back(store::Change::keep());
    if (verdict->kind == CodeKind::recovery) {
      addPuts(changes, entries);
    } else {
      addKeeps(changes, entries.size());
    }
    return changes;
  };
  auto done = co_await commit(std::move(targets), std::move(judge), std::move(by), deadline);
  if (!done || verdict->kind != CodeKind::wrong) forgive(realm, user);
  CO_CHECK(std::move(done));
  if (verdict->kind == CodeKind::wrong) co_return fail(ErrorCode::invalidCredentials, "this code is not right");
  if (verdict->user.status == kStatusBlocked) co_return fail(ErrorCode::userBlocked, "this user is blocked");
  if (!verdict->user.active()) co_return fail(ErrorCode::userInactive, "this user is not active");
  co_return Result<>();
}

}  // namespace mb::identity
