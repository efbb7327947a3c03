// Checks a code against a SecondFactorRecord and updates the record. Private to identity/.
#pragma once

#include "identity/identity_deps.h"
#include "identity/mfa.h"

namespace mb::identity {

enum class CodeKind { wrong, totp, recovery };

// A code as typed, without blanks and hyphens, in lower case.
std::string plainCode(std::string_view code);
// "abcd-efgh-ijkl-mnop": 80 random bits.
std::string makeRecoveryCode();
std::string recoveryDigest(const UserId& user, std::string_view plain);

// The id of the challenge of a pending enrollment.
std::string enrollmentId(const UserId& user);

Result<Secret> openSecret(const IdentityDeps& deps, const UserId& user, std::string_view sealed);
std::string sealSecret(const IdentityDeps& deps, const UserId& user, std::string_view secret);

// Checks a code, and marks an accepted one as used in the record, which the caller stores in the same commit.
Result<CodeKind> useCode(const IdentityDeps& deps, SecondFactorRecord& factor, std::string_view code);

}  // namespace mb::identity
