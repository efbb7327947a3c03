#include "identity/passwords.h"

#include <sodium.h>

#include <algorithm>
#include <array>

#include "identity/email.h"
#include "identity/records.h"

namespace mb::identity {

namespace {

constexpr size_t kMinCharacters = 8;
constexpr size_t kMaxCharacters = 256;
constexpr unsigned long long kPasses = 2;
constexpr size_t kMemoryBytes = size_t{19} << 20;
constexpr FairPoolLimits kQueueLimits{.waitingOfProject = 256, .waiting = 4096};

// A hash that no password has: verifying against it takes as long as against a real one.
constexpr std::string_view kDummyHash =
    "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5bm9ib2R5bm9ibw$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

Result<bool> verifyNow(const std::string& encoded, std::string_view password) {
  return crypto_pwhash_str_verify(encoded.c_str(), password.data(), password.size()) == 0;
}

}  // namespace

Result<> checkPasswordRules(std::string_view password, std::string_view email) {
  const size_t characters = codePoints(password);
  if (characters < kMinCharacters || characters > kMaxCharacters) {
    return fail(invalid("/password", "must have 8 to 256 characters"));
  }
  if (emailKey(password) == emailKey(email)) return fail(invalid("/password", "must not be the email address"));
  return {};
}

Result<std::string> hashPassword(std::string_view password) {
  std::array<char, crypto_pwhash_STRBYTES> encoded{};
  if (crypto_pwhash_str_alg(encoded.data(), password.data(), password.size(), kPasses, kMemoryBytes,
                            crypto_pwhash_ALG_ARGON2ID13) != 0) {
    return fail(Error(ErrorCode::unavailable, "the server is busy, try again").withCause("argon2id ran out of memory"));
  }
  return std::string(encoded.data());
}

Passwords::Passwords(int cores) : pool_("passwords", std::max(1, cores / 2), kQueueLimits) {}

Task<std::string> Passwords::hash(Realm realm, std::string password) {
  co_return co_await pool_.run(realm.id.str(),
                               [secret = Secret(std::move(password))] { return hashPassword(secret.reveal()); });
}

Task<bool> Passwords::verify(Realm realm, std::string encoded, std::string password) {
  if (encoded.empty()) encoded = kDummyHash;
  co_return co_await pool_.run(realm.id.str(), [encoded = std::move(encoded), secret = Secret(std::move(password))] {
    return verifyNow(encoded, secret.reveal());
  });
}

}  // namespace mb::identity
