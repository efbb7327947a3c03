#include "identity/refresh_token.h"

#include <charconv>

namespace mb::identity {

namespace {

constexpr size_t kFamilyBytes = 32;
constexpr size_t kCodeBytes = 18;
constexpr size_t kMaxText = 128;

}  // namespace

std::string RefreshTokens::newFamily() {
  return randomToken(kFamilyBytes);
}

std::string RefreshTokens::codeOf(std::string_view family, int64_t generation) const {
  const Digest digest = hmacSha256(key_.reveal(), fmt::format("{}.{}", family, generation));
  return toBase64Url({reinterpret_cast<const char*>(digest.data()), kCodeBytes});
}

std::string RefreshTokens::textOf(const RefreshToken& token) const {
  if (token.generation == 0) return token.family;
  return fmt::format("{}.{}.{}", token.family, token.generation, codeOf(token.family, token.generation));
}

std::optional<RefreshToken> RefreshTokens::parse(std::string_view text) const {
  if (text.empty() || text.size() > kMaxText) return std::nullopt;
  const size_t first = text.find('.');
  if (first == std::string_view::npos) return RefreshToken{std::string(text), 0};
  const size_t second = text.find('.', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  RefreshToken token{std::string(text.substr(0, first)), 0};
  const std::string_view number = text.substr(first + 1, second - first - 1);
  const auto [end, failed] = std::from_chars(number.data(), number.data() + number.size(), token.generation);
  if (failed != std::errc() || end != number.data() + number.size() || token.generation < 1) return std::nullopt;
  if (!equalConstantTime(text, textOf(token))) return std::nullopt;
  return token;
}

}  // namespace mb::identity
