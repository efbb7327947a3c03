#include "identity/factor_reset.h"

#include "identity/records.h"
#include "identity/second_factor.h"

namespace mb::identity {

FactorTargets addFactorTargets(store::Write& write, const Realm& realm, const UserId& user) {
  const store::Target factor = write.change(targetOf(realm.project, kSecondFactors, user.str()));
  return {factor, write.change(targetOf(realm.project, kChallenges, enrollmentId(user)))};
}

void FactorTargets::remove(UserRecord& user, Timestamp now, store::Changes& changes) const {
  user.mfaEnabled = false;
  user.updatedAt = now;
  changes.remove(factor);
  changes.remove(enrollment);
}

}  // namespace mb::identity
