// What a code does to the record that judges it. Private to identity/.
#pragma once

#include "identity/identity_deps.h"
#include "identity/mfa.h"

namespace mb::identity {

enum class CodeKind { wrong, totp, recovery };

// Digits or a recovery code, as people type them: blanks and hyphens dropped, lower case.
std::string plainCode(std::string_view code);
// "abcd-efgh-ijkl-mnop": 80 random bits.
std::string makeRecoveryCode();
std::string recoveryDigest(const UserId& user, std::string_view plain);

// The challenge that an enrollment waits in.
std::string enrollmentId(const UserId& user);

Result<Secret> openSecret(const IdentityDeps& deps, const UserId& user, std::string_view sealed);
std::string sealSecret(const IdentityDeps& deps, const UserId& user, std::string_view secret);

// Accepts a code: what it uses up is marked in the record, which is to be stored in the same commit.
Result<CodeKind> useCode(const IdentityDeps& deps, SecondFactorRecord& factor, std::string_view code);

}  // namespace mb::identity
