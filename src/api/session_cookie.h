// A browser's session on the control plane: its refresh token comes and goes as a cookie that scripts cannot read, for
// pages of the server's own origin (docs/api.md, "A browser's session").
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/context.h"
#include "http/cookies.h"

namespace mb::api {

// Its only value is `cookie`.
inline constexpr std::string_view kSessionHeader = "x-service-session";

// The path of the base URL, which cookies' paths begin with; empty without one.
std::string_view basePathOf(std::string_view baseUrl);

class SessionCookie {
 public:
  // `baseUrl` decides the cookie's name, path and security, and the origin of the pages that may use it.
  explicit SessionCookie(std::string_view baseUrl);

  // This, if the request has the header `x-service-session: cookie`; null without the header, and for end users, whose
  // requests have a project. Fails with validation for another value, and with forbidden where the browser names
  // another origin or site.
  Result<const SessionCookie*> requestedBy(const RequestContext& context) const {
    return context.project ? Result<const SessionCookie*>(nullptr) : requestedBy(context.request);
  }
  Result<const SessionCookie*> requestedBy(const http::Request& request) const;

  http::CookieLookup find(const http::Request& request) const { return http::findCookie(request, name_); }
  // REQUIRES: the token is one of this server: it is sent as it is.
  void set(http::Response& response, std::string_view refreshToken) const;
  void clear(http::Response& response) const;

 private:
  Result<> checkOrigin(const http::Request& request) const;
  void add(http::Response& response, std::string_view value, int64_t seconds) const;

  std::vector<std::string> origins_;  // of the base URL; of a loopback address all of its names
  std::string name_;
  std::string path_;
  const bool secure_;
};

}  // namespace mb::api
