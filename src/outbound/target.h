// URLs as libcurl reads them: one parser for the judgement and for the call. Private to outbound/.
#pragma once

#include <string>
#include <string_view>

#include "outbound/outbound.h"

namespace mb::outbound {

struct Target {
  std::string url;     // as it is called, without a fragment
  std::string scheme;  // "http" or "https"
  std::string origin;  // scheme, host and port, for comparisons
};

// Fails with validation; see originOf().
Result<Target> parseTarget(std::string_view url);
// Where a `location` seen at `base` leads.
Result<Target> resolveTarget(const Target& base, std::string_view location);

// "smtp://host:port" for libcurl; fails with validation when the host is none.
Result<std::string> smtpUrl(const SmtpServer& server);

}  // namespace mb::outbound
