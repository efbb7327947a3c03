#include "identity/oauth_state.h"

#include "document/json.h"

namespace mb::identity {

namespace {

constexpr size_t kMaxState = 8 << 10;
constexpr size_t kCookieBytes = 32;

std::unexpected<Error> refusedState() {
  return fail(ErrorCode::unauthenticated, "this state is not valid");
}

bool isCookie(std::string_view text) {
  const auto bytes = fromBase64Url(text);
  return bytes && bytes->size() == kCookieBytes;
}

}  // namespace

std::string OauthStates::derived(std::string_view use, std::string_view text) const {
  const Digest digest = hmacSha256(key_.reveal(), std::string(use) + "|" + std::string(text));
  return toBase64Url({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

std::string OauthStates::sign(const OauthState& state) const {
  std::string text = toBase64Url(doc::toJson(doc::encode(state)));
  const std::string signature = derived("state", text);
  return text.append(1, '.').append(signature);
}

Result<OauthState> OauthStates::open(std::string_view text, std::span<const std::string> cookies) const {
  const size_t dot = text.find('.');
  if (text.size() > kMaxState || dot == std::string_view::npos) return refusedState();
  const std::string_view payload = text.substr(0, dot);
  if (!equalConstantTime(derived("state", payload), text.substr(dot + 1))) return refusedState();
  const auto decoded = fromBase64Url(payload);
  if (!decoded) return refusedState();
  const auto parsed = doc::parseJson(*decoded, {.maxDepth = 2, .extended = doc::ExtendedJson::refuse});
  if (!parsed) return refusedState();
  auto state = doc::decode<OauthState>(*parsed);
  if (!state || state->expiresMs <= clock_.now().ms) return refusedState();
  for (const std::string& cookie : cookies) {
    if (isCookie(cookie) && equalConstantTime(state->browser, browserDigest(cookie))) return state;
  }
  return refusedState();
}

std::string OauthStates::verifierOf(const OauthState& state) const {
  return derived("verifier", state.id);
}

std::string OauthStates::nonceOf(const OauthState& state) const {
  return derived("nonce", state.id);
}

std::string browserCookie() {
  return randomToken(kCookieBytes);
}

std::string browserDigest(std::string_view cookie) {
  return toHex(sha256(cookie));
}

}  // namespace mb::identity
