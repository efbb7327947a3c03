#include "api/session_cookie.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/local_requests.h"
#include "identity/sessions.h"
#include "outbound/outbound.h"

namespace mb::api {

namespace {

constexpr std::string_view kByCookie = "cookie";
constexpr std::string_view kRefreshPath = "/api/v1/control/auth/refresh";
constexpr std::string_view kSecureName = "__Secure-mb_refresh";
constexpr std::string_view kNameOfPort = "mb_refresh_";  // browsers share cookies between the ports of a host
constexpr std::string_view kHttpPort = "80";
constexpr int64_t kMaxAgeSeconds = identity::kSessionMs / 1000;
// The names of this machine by which a browser opens a server whose base URL has any of them.
constexpr std::array<std::string_view, 3> kLoopbackNames = {"localhost", "127.0.0.1", "[::1]"};

struct OriginParts {
  std::string_view scheme;  // with "://"
  std::string_view port;    // empty for the scheme's own
};

// Of text in the form of outbound::originOf().
OriginParts partsOf(std::string_view origin) {
  const size_t host = origin.find("://") + 3;
  const size_t bracket = origin.find(']', host);
  const size_t colon = origin.find(':', bracket == std::string_view::npos ? host : bracket);
  return {origin.substr(0, host), colon == std::string_view::npos ? std::string_view() : origin.substr(colon + 1)};
}

}  // namespace

std::string_view basePathOf(std::string_view baseUrl) {
  const size_t host = baseUrl.find("://");
  const size_t path = host == std::string_view::npos ? host : baseUrl.find('/', host + 3);
  return path == std::string_view::npos ? std::string_view() : baseUrl.substr(path);
}

SessionCookie::SessionCookie(std::string_view baseUrl)
    : path_(fmt::format("{}{}", basePathOf(baseUrl), kRefreshPath)), secure_(baseUrl.starts_with("https:")) {
  std::string_view port;
  const auto own = outbound::originOf(baseUrl);
  if (own) {
    const OriginParts parts = partsOf(*own);
    port = parts.port;
    origins_.push_back(*own);
    if (isLoopbackUrl(*own)) {
      for (const std::string_view name : kLoopbackNames) {
        origins_.push_back(fmt::format("{}{}{}{}", parts.scheme, name, port.empty() ? "" : ":", port));
      }
    }
  }
  name_ = secure_ ? std::string(kSecureName) : fmt::format("{}{}", kNameOfPort, port.empty() ? kHttpPort : port);
}

Result<> SessionCookie::checkOrigin(const http::Request& request) const {
  for (const http::Header& header : request.headers) {
    const bool foreign = (http::equalsIgnoreCase(header.name, "origin") &&
                          std::ranges::find(origins_, header.value) == origins_.end()) ||
                         (http::equalsIgnoreCase(header.name, "sec-fetch-site") && header.value != "same-origin");
    if (!foreign) continue;
    return fail(ErrorCode::forbidden,
                fmt::format("{}: {} is only for pages of the server's own origin (SERVICE_BASE_URL)", kSessionHeader,
                            kByCookie));
  }
  return {};
}

Result<const SessionCookie*> SessionCookie::requestedBy(const http::Request& request) const {
  bool requested = false;
  for (const http::Header& header : request.headers) {
    if (!http::equalsIgnoreCase(header.name, kSessionHeader)) continue;
    if (header.value != kByCookie) {
      return fail(ErrorCode::validation, fmt::format("the header {} must be {}, or absent", kSessionHeader, kByCookie));
    }
    requested = true;
  }
  if (!requested) return nullptr;
  RETURN_IF_ERROR(checkOrigin(request));
  return this;
}

void SessionCookie::add(http::Response& response, std::string_view value, int64_t seconds) const {
  response.headers.emplace_back("set-cookie", fmt::format("{}={}; HttpOnly; SameSite=Strict; Path={}; Max-Age={}{}",
                                                          name_, value, path_, seconds, secure_ ? "; Secure" : ""));
}

void SessionCookie::set(http::Response& response, std::string_view refreshToken) const {
  add(response, refreshToken, kMaxAgeSeconds);
}

void SessionCookie::clear(http::Response& response) const {
  add(response, "", 0);
}

}  // namespace mb::api
