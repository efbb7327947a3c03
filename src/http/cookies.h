// Cookies of a request (RFC 6265, 4.2).
#pragma once

#include <string_view>

#include "http/message.h"

namespace mb::http {

struct CookieLookup {
  // unusable: the request has several cookies of the name, or one whose value no server may set. Other hosts of a
  // domain can set cookies for this one, so none of them is trusted.
  enum class State { absent, found, unusable };
  State state = State::absent;
  std::string_view value = {};  // where found; a view of the request
};

// The cookie of this name, which is case-sensitive. A name without "=" is ignored.
CookieLookup findCookie(const Request& request, std::string_view name);

}  // namespace mb::http
