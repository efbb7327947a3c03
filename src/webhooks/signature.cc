#include "webhooks/signature.h"

namespace mb::webhooks {

namespace {

constexpr std::string_view kPrefix = "whsec_";
constexpr size_t kSecretBytes = 32;

std::string_view textOf(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::string newSecret() {
  std::array<uint8_t, kSecretBytes> bytes;
  fillRandom(bytes);
  return std::string(kPrefix) + toBase64(textOf(bytes));
}

Result<std::vector<outbound::Header>> signatureHeaders(const Secret& secret, std::string_view id, Timestamp now,
                                                       std::string_view body) {
  const std::string_view text = secret.reveal();
  auto decoded = text.starts_with(kPrefix) ? fromBase64(text.substr(kPrefix.size()))
                                           : Result<std::string>(fail(ErrorCode::validation, ""));
  if (!decoded) return fail(Error(ErrorCode::internal, "a webhook's secret cannot be read"));
  const Secret key(*std::move(decoded));
  const std::string seconds = std::to_string(now.ms / 1000);
  const Digest own = hmacSha256(text, fmt::format("{}.{}", now.ms, body));
  const Digest standard = hmacSha256(key.reveal(), fmt::format("{}.{}.{}", id, seconds, body));
  return std::vector<outbound::Header>{
      {"X-Service-Signature", fmt::format("t={},v1={}", now.ms, toHex(own))},
      {"webhook-id", std::string(id)},
      {"webhook-timestamp", seconds},
      {"webhook-signature", "v1," + toBase64(textOf(standard))},
  };
}

}  // namespace mb::webhooks
