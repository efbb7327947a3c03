// URLs as libcurl reads them: one parser for the check and for the call. Private to outbound/.
#pragma once

#include <string>
#include <string_view>

#include "outbound/outbound.h"

namespace mb::outbound {

struct Target {
  std::string url;     // the URL of the call, without a fragment
  std::string scheme;  // "http" or "https"
  std::string origin;  // scheme, host and port, for comparisons
};

// Fails with validation; see originOf().
Result<Target> parseTarget(std::string_view url);
// Resolves the `location` of a response from `base`.
Result<Target> resolveTarget(const Target& base, std::string_view location);

// "smtp://host:port" for libcurl; fails with validation when host or port is not valid.
Result<std::string> smtpUrl(const SmtpServer& server);

}  // namespace mb::outbound
