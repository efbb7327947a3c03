#include <boost/asio/ip/address.hpp>
#include <charconv>

#include "http/server.h"

namespace mb::http {

ServerSettings::ServerSettings(Settings& settings) {
  const std::string fallback = fmt::format("{}:{}", host, port);
  const auto address = settings.parsed<std::pair<std::string, int>>(
      "SERVICE_LISTEN", fallback, "address and port to listen on",
      [](std::string_view text) -> Result<std::pair<std::string, int>> {
        const size_t colon = text.rfind(':');
        if (colon == std::string_view::npos) return fail(ErrorCode::validation, "must be address:port");
        std::string_view where = text.substr(0, colon);
        if (where.starts_with('[') && where.ends_with(']')) where = where.substr(1, where.size() - 2);
        int number = -1;
        const std::string_view digits = text.substr(colon + 1);
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
        if (error != std::errc() || end != digits.data() + digits.size() || number < 0 || number > 65535) {
          return fail(ErrorCode::validation, "the port must be a number from 0 to 65535");
        }
        boost::system::error_code bad;
        const std::string spelled(where == "localhost" ? std::string_view("127.0.0.1") : where);
        asio::ip::make_address(spelled, bad);
        if (bad) return fail(ErrorCode::validation, "the address must be an IPv4 or IPv6 address, or localhost");
        return std::pair(spelled, number);
      });
  host = address.first;
  port = address.second;
  socketMemory =
      static_cast<size_t>(settings.bytes("SERVICE_SOCKET_MEMORY", 0, 0, int64_t{1} << 40,
                                         "memory for what WebSockets hold unsent; 0: a sixteenth of the machine's"));
}

}  // namespace mb::http
