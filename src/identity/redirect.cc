#include "identity/redirect.h"

#include <algorithm>
#include <boost/url/parse.hpp>
#include <charconv>

namespace mb::identity {

namespace {

constexpr size_t kMaxRedirectBytes = 2048;

std::unexpected<Error> refusedRedirect() {
  return fail(ErrorCode::invalidParam, "redirect must be an absolute URL of an allowed origin");
}

bool isHostCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == ':' || c == '[' || c == ']';
}

bool isPort(std::string_view text) {
  uint16_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failed == std::errc() && end == text.data() + text.size() && number > 0;
}

}  // namespace

Result<std::string> redirectOrigin(std::string_view url) {
  if (url.size() > kMaxRedirectBytes) return refusedRedirect();
  const auto parsed = boost::urls::parse_uri(url);  // RFC 3986: neither blanks, backslashes nor control characters
  if (!parsed || parsed->has_userinfo() || parsed->has_fragment()) return refusedRedirect();
  const std::string_view scheme = parsed->scheme();
  const std::string_view host = parsed->encoded_host();
  if ((scheme != "http" && scheme != "https") || host.empty()) return refusedRedirect();
  if (!std::ranges::all_of(host, isHostCharacter)) return refusedRedirect();
  std::string origin = std::string(scheme) + "://" + std::string(host);
  if (parsed->has_port()) {
    const std::string_view port = parsed->port();
    if (!isPort(port)) return refusedRedirect();
    origin.append(1, ':').append(port);
  }
  // The parsed origin must be the exact prefix of the text, before a path, a query or the end.
  const std::string_view rest = url.starts_with(origin) ? url.substr(origin.size()) : "#";
  if (!rest.empty() && rest[0] != '/' && rest[0] != '?') return refusedRedirect();
  return origin;
}

Result<> checkRedirect(std::string_view url, const std::vector<std::string>& allowed) {
  TRY(const std::string origin, redirectOrigin(url));
  if (std::ranges::find(allowed, origin) == allowed.end()) return refusedRedirect();
  return {};
}

}  // namespace mb::identity
