#include "identity/factor_reset.h"

#include "identity/records.h"
#include "identity/second_factor.h"

namespace mb::identity {

std::vector<store::WriteTarget> factorTargets(const Realm& realm, const UserId& user) {
  return {targetOf(realm.project, kUsers, user.str()), targetOf(realm.project, kSecondFactors, user.str()),
          targetOf(realm.project, kChallenges, enrollmentId(user))};
}

Result<std::vector<store::Change>> withoutFactor(std::span<const std::optional<doc::Document>> before, Timestamp now) {
  if (!before[0]) return fail(ErrorCode::notFound, "no such user");
  TRY(UserRecord user, fromStore<UserRecord>(before[0]->view()));
  user.mfaEnabled = false;
  user.updatedAt = now;
  std::vector<store::Change> changes;
  changes.push_back(store::Change::put(doc::encode(user)));
  for (const auto& gone : before.subspan(1, 2)) {
    changes.push_back(gone ? store::Change::remove() : store::Change::keep());
  }
  return changes;
}

}  // namespace mb::identity
