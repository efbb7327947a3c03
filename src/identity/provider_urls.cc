#include "identity/provider_urls.h"

#include <algorithm>

#include "identity/records.h"
#include "outbound/outbound.h"

namespace mb::identity {

namespace {

constexpr size_t kMaxIssuer = 512;
constexpr std::string_view kHttps = "https://";
constexpr std::string_view kHttp = "http://";

bool isPlain(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return c > 0x20 && c < 0x7F && !std::string_view("\\\"<>^`{|}#").contains(c); });
}

bool isLocal(std::string_view origin) {
  std::string_view host = origin.substr(kHttp.size());
  if (host.starts_with("[::1]")) return true;
  host = host.substr(0, host.find(':'));
  return host == "localhost" || host.ends_with(".localhost") || host.starts_with("127.");
}

}  // namespace

Result<std::string> exactOrigin(std::string_view text) {
  if (text.ends_with('/') && !text.ends_with("//")) text.remove_suffix(1);
  if (!isPlain(text)) return fail(ErrorCode::validation, "must be an origin such as https://example.com");
  TRY(std::string origin, outbound::originOf(text));
  // In any other form it would never match the origin that a browser sends.
  if (origin != text || origin.find_first_of("*%@") != std::string::npos) {
    return fail(ErrorCode::validation, "must be an origin such as https://example.com");
  }
  return origin;
}

Result<> checkIssuer(std::string_view text) {
  const auto origin = outbound::originOf(text);
  const bool shaped = origin && text.size() <= kMaxIssuer && isPlain(text) && !text.contains('?') &&
                      text.starts_with(*origin) && (text.size() == origin->size() || text[origin->size()] == '/');
  if (!shaped) return fail(invalid("/issuer", "must be an address such as https://login.example.com"));
  if (origin->starts_with(kHttps) || isLocal(*origin)) return {};
  return fail(invalid("/issuer", "must begin with https://"));
}

bool isEndpointOf(std::string_view issuer, std::string_view url) {
  if (!outbound::originOf(url) || url.contains('#')) return false;
  return url.starts_with(kHttps) || (url.starts_with(kHttp) && issuer.starts_with(kHttp));
}

}  // namespace mb::identity
