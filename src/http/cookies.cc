#include "http/cookies.h"

#include <algorithm>

#include "http/list_header.h"

namespace mb::http {

namespace {

// cookie-octet of RFC 6265, 4.1.1.
bool isCookieOctet(char c) {
  return c > 0x20 && c < 0x7F && c != '"' && c != ',' && c != ';' && c != '\\';
}

}  // namespace

CookieLookup findCookie(const Request& request, std::string_view name) {
  CookieLookup lookup;
  for (const Header& header : request.headers) {
    if (!equalsIgnoreCase(header.name, "cookie")) continue;
    std::string_view left = header.value;
    while (!left.empty()) {
      const size_t end = std::min(left.find(';'), left.size());
      const std::string_view pair = trimSpace(left.substr(0, end));
      left.remove_prefix(std::min(end + 1, left.size()));
      const size_t equals = pair.find('=');
      if (equals == std::string_view::npos || pair.substr(0, equals) != name) continue;
      const std::string_view value = pair.substr(equals + 1);
      if (lookup.state != CookieLookup::State::absent || !std::ranges::all_of(value, isCookieOctet)) {
        return {.state = CookieLookup::State::unusable};
      }
      lookup = {.state = CookieLookup::State::found, .value = value};
    }
  }
  return lookup;
}

}  // namespace mb::http
