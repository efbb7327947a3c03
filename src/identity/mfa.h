// The second factor: time-based codes and recovery codes, in both realms.
//
// A code and a recovery code count once, by the commit that accepts them: of concurrent attempts one succeeds.
#pragma once

#include <string>
#include <vector>

#include "identity/attempt_guard.h"
#include "identity/challenges.h"
#include "identity/user_types.h"
#include "policy/caller.h"

namespace mb::identity {

inline constexpr int64_t kMfaTokenMs = 5LL * 60 * 1000;
inline constexpr int64_t kMaxMfaAttempts = 5;
inline constexpr int64_t kEnrollmentMs = 15LL * 60 * 1000;
inline constexpr size_t kRecoveryCodes = 10;

// ---- stored

struct SecondFactorRecord {
  UserId id;           // the user's
  std::string secret;  // sealed under the user's id, base64
  int64_t lastStep = 0;
  std::vector<std::string> recovery;  // digests of the codes that are left
  Timestamp createdAt;
  // Activated before the address was verified, so perhaps by another person: a password reset removes it.
  std::optional<bool> unproven = {};
  static constexpr auto shape() {
    return doc::shape<SecondFactorRecord>(
        "SecondFactorRecord", doc::field("id", &SecondFactorRecord::id),
        doc::field("secret", &SecondFactorRecord::secret), doc::field("lastStep", &SecondFactorRecord::lastStep),
        doc::field("recovery", &SecondFactorRecord::recovery), doc::field("createdAt", &SecondFactorRecord::createdAt),
        doc::field("unproven", &SecondFactorRecord::unproven));
  }
};

// ---- in and out

struct CodeBody {
  std::string code;
  static constexpr auto shape() { return doc::shape<CodeBody>("CodeBody", doc::field("code", &CodeBody::code)); }
};

struct MfaVerification {
  std::string mfaToken;
  std::string code;
  static constexpr auto shape() {
    return doc::shape<MfaVerification>("MfaVerification", doc::field("mfaToken", &MfaVerification::mfaToken),
                                       doc::field("code", &MfaVerification::code));
  }
};

struct TotpEnrollment {
  std::string secret;
  std::string otpauthUrl;
  static constexpr auto shape() {
    return doc::shape<TotpEnrollment>("TotpEnrollment", doc::field("secret", &TotpEnrollment::secret),
                                      doc::field("otpauthUrl", &TotpEnrollment::otpauthUrl));
  }
};

struct RecoveryCodes {
  std::vector<std::string> recoveryCodes;
  static constexpr auto shape() {
    return doc::shape<RecoveryCodes>("RecoveryCodes", doc::field("recoveryCodes", &RecoveryCodes::recoveryCodes));
  }
};

class Mfa {
 public:
  explicit Mfa(const IdentityDeps& deps)
      : deps_(deps), challenges_(deps), guard_(deps.clock, kMaxFailedCodes, "codes") {}

  // Creates a secret, which stays pending for kEnrollmentMs; a second enrollment replaces the first. Fails with
  // conflict where the second factor is on, emailUnverified where mails are sent and the user's address is not
  // verified.
  Task<TotpEnrollment> enroll(Realm realm, UserId user, std::string issuer, store::Deadline deadline);
  // Activates the factor with a first code and returns the recovery codes, of which only digests are stored. Fails with
  // validation (wrong code), conflict (on already, or no enrollment), emailUnverified (as enroll()), rateLimited.
  Task<RecoveryCodes> activate(Realm realm, std::string code, policy::Caller by, store::Deadline deadline);
  // Disables the factor with a code or a recovery code. Fails with validation, conflict (not on), rateLimited.
  Task<> disable(Realm realm, std::string code, policy::Caller by, store::Deadline deadline);
  // Removes the factor without a code. Fails with notFound (no such user), forbidden (a user who holds a permission
  // that `by` does not hold); succeeds for a user without a second factor.
  Task<> reset(Realm realm, UserId user, policy::Caller by, store::Deadline deadline);

  // The token of a sign-in with a valid first factor: valid for kMfaTokenMs and kMaxMfaAttempts, until the password
  // changes.
  Task<std::string> challenge(Realm realm, UserRecord user, store::Deadline deadline);
  // The user of the token and code; uses the token up. Fails with unauthenticated (the token), invalidCredentials (the
  // code), userInactive, userBlocked, rateLimited, each but the first audited as login.failed. `by` has the client's
  // address.
  Task<UserRecord> verify(Realm realm, MfaVerification input, policy::Caller by, store::Deadline deadline);

 private:
  Task<UserRecord> tryCode(Realm realm, UserId user, std::string challenge, std::string code, policy::Caller by,
                           store::Deadline deadline);
  Result<> begin(const Realm& realm, const UserId& user);
  void refundAttempt(const Realm& realm, const UserId& user);
  std::vector<store::Insert> entry(const Realm& realm, std::string action, const policy::Caller& by,
                                   const UserId& user) const;

  const IdentityDeps& deps_;
  Challenges challenges_;
  AttemptGuard guard_;
};

}  // namespace mb::identity
