// Short-lived records that count once: a sign-in that waits for its second factor, an enrollment that waits for its
// first code, a provider's state that was used. No job removes them: each new one removes expired ones, and the number
// per user is bounded. Private to identity/.
#pragma once

#include <string>

#include "identity/identity_deps.h"
#include "identity/realm.h"

namespace mb::identity {

inline constexpr size_t kChallengesPerUser = 10;

struct ChallengeRecord {
  std::string id;  // "<kind>:<text unique for the kind>"
  UserId userId;   // empty where it has no user yet
  Timestamp expiresAt;
  int64_t tries = 0;   // failed attempts
  std::string mark;    // digest of the state that must not change until it is used
  std::string secret;  // sealed under the user's id, base64
  static constexpr auto shape() {
    return doc::shape<ChallengeRecord>(
        "ChallengeRecord", doc::field("id", &ChallengeRecord::id), doc::field("userId", &ChallengeRecord::userId),
        doc::field("expiresAt", &ChallengeRecord::expiresAt), doc::field("tries", &ChallengeRecord::tries),
        doc::field("mark", &ChallengeRecord::mark), doc::field("secret", &ChallengeRecord::secret));
  }
};

enum class Existing { replace, refuse };

class Challenges {
 public:
  explicit Challenges(const IdentityDeps& deps) : deps_(deps) {}
  // Stores it. Fails with conflict where one of this id exists and must not be replaced: of concurrent calls one
  // succeeds.
  Task<> put(Realm realm, ChallengeRecord challenge, Existing existing, store::Deadline deadline);

 private:
  // The challenges that the next put() removes: expired ones, and the oldest of a user who has too many.
  Task<std::vector<doc::Document>> leftovers(Realm realm, UserId user, std::string except, store::Deadline deadline);
  const IdentityDeps& deps_;
};

}  // namespace mb::identity
