#include "identity/totp.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>

#include "base/crypto.h"
#include "base/url_text.h"

namespace mb::identity {

namespace {

constexpr int64_t kStepMs = 30'000;
constexpr int64_t kStepsAround = 1;
constexpr uint32_t kModulus = 1'000'000;
constexpr std::string_view kBase32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

std::array<unsigned char, 20> hmacSha1(std::string_view key, std::string_view data) {
  std::array<unsigned char, 20> out{};
  unsigned length = out.size();
  HMAC(EVP_sha1(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(data.data()),
       data.size(), out.data(), &length);
  return out;
}

}  // namespace

std::string toBase32(std::string_view bytes) {
  std::string out;
  uint32_t held = 0;
  int bits = 0;
  for (const char c : bytes) {
    held = held << 8 | static_cast<unsigned char>(c);
    for (bits += 8; bits >= 5; bits -= 5) out += kBase32[held >> (bits - 5) & 31];
  }
  if (bits > 0) out += kBase32[held << (5 - bits) & 31];
  return out;
}

std::string hotp(std::string_view secret, int64_t counter) {
  std::array<char, 8> message{};
  for (size_t i = 0; i < message.size(); ++i) message[7 - i] = static_cast<char>(counter >> (8 * i));
  const auto digest = hmacSha1(secret, {message.data(), message.size()});
  const size_t at = digest.back() & 15U;
  const uint32_t number = (digest[at] & 127U) << 24 | uint32_t{digest[at + 1]} << 16 | uint32_t{digest[at + 2]} << 8 |
                          uint32_t{digest[at + 3]};
  return fmt::format("{:06}", number % kModulus);
}

std::optional<int64_t> totpStep(std::string_view secret, std::string_view code, Timestamp now, int64_t lastStep) {
  const int64_t current = now.ms / kStepMs;
  std::optional<int64_t> found;
  for (int64_t step = current - kStepsAround; step <= current + kStepsAround; ++step) {
    // All steps are computed, whichever matches, so that the time does not depend on it.
    if (equalConstantTime(hotp(secret, step), code) && step > lastStep && !found) found = step;
  }
  return found;
}

std::string otpauthUrl(std::string_view issuer, std::string_view account, std::string_view secret) {
  const std::string by = percentEncoded(issuer);
  return fmt::format("otpauth://totp/{}:{}?secret={}&issuer={}&algorithm=SHA1&digits=6&period=30", by,
                     percentEncoded(account), toBase32(secret), by);
}

}  // namespace mb::identity
