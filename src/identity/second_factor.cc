#include "identity/second_factor.h"

#include <algorithm>

#include "identity/records.h"
#include "identity/totp.h"

namespace mb::identity {

namespace {

constexpr size_t kRecoveryBytes = 10;
constexpr size_t kGroup = 4;
constexpr size_t kMaxCode = 64;

}  // namespace

std::string plainCode(std::string_view code) {
  std::string plain;
  if (code.size() > kMaxCode) return plain;
  for (const char c : code) {
    if (c != ' ' && c != '-') plain += c;
  }
  return lowerAscii(plain);
}

std::string makeRecoveryCode() {
  std::array<uint8_t, kRecoveryBytes> bytes{};
  fillRandom(bytes);
  std::string code = lowerAscii(toBase32({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  for (size_t at = code.size() - kGroup; at > 0; at -= kGroup) code.insert(at, 1, '-');
  return code;
}

std::string recoveryDigest(const UserId& user, std::string_view plain) {
  return toHex(sha256(user.str() + "|" + std::string(plain)));
}

std::string enrollmentId(const UserId& user) {
  return "totp:" + user.str();
}

Result<Secret> openSecret(const IdentityDeps& deps, const UserId& user, std::string_view sealed) {
  TRY(const std::string bytes, fromBase64(sealed));
  return deps.master.unseal(bytes, user.str());
}

std::string sealSecret(const IdentityDeps& deps, const UserId& user, std::string_view secret) {
  return toBase64(deps.master.seal(secret, user.str()));
}

Result<CodeKind> useCode(const IdentityDeps& deps, SecondFactorRecord& factor, std::string_view code) {
  const std::string plain = plainCode(code);
  TRY(const Secret secret, openSecret(deps, factor.id, factor.secret));
  if (const auto step = totpStep(secret.reveal(), plain, deps.clock.now(), factor.lastStep)) {
    factor.lastStep = *step;
    return CodeKind::totp;
  }
  const auto used = std::ranges::find(factor.recovery, recoveryDigest(factor.id, plain));
  if (used == factor.recovery.end()) return CodeKind::wrong;
  factor.recovery.erase(used);
  return CodeKind::recovery;
}

}  // namespace mb::identity
