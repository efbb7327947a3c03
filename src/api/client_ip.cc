#include "api/client_ip.h"

#include <boost/asio/ip/address.hpp>

#include "base/text.h"

namespace mb::api {

namespace {

bool isAddress(std::string_view text) {
  boost::system::error_code failed;
  boost::asio::ip::make_address(text, failed);
  return !failed;
}

}  // namespace

ClientAddress clientAddress(const http::Request& request, const TrustedProxies& trusted) {
  if (trusted.empty() || !trusted.trusts(request.peer)) return {request.peer};
  std::string_view client = request.peer;
  bool found = false;
  for (auto header = request.headers.rbegin(); header != request.headers.rend(); ++header) {
    if (!http::equalsIgnoreCase(header->name, "x-forwarded-for")) continue;
    if (found) return {std::string(client), true};
    std::string_view rest = header->value;
    while (true) {
      const auto comma = rest.rfind(',');
      const std::string_view entry = trimmed(comma == std::string_view::npos ? rest : rest.substr(comma + 1), " \t");
      if (!isAddress(entry)) return {std::string(client), true};
      client = entry;
      found = !trusted.trusts(client);
      if (found && comma != std::string_view::npos) return {std::string(client), true};
      if (found || comma == std::string_view::npos) break;
      rest = rest.substr(0, comma);
    }
  }
  return {std::string(client)};
}

}  // namespace mb::api
