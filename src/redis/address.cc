#include "redis/address.h"

#include <boost/url/parse.hpp>
#include <charconv>

namespace mb::redis {

namespace {

constexpr int kMaxDatabase = 1'000'000;

std::unexpected<Error> refused(std::string line) {
  return fail(ErrorCode::validation, std::move(line));
}

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > kMaxDatabase) {
    return std::nullopt;
  }
  return value;
}

}  // namespace

Result<Address> Address::parse(std::string_view text) {
  const auto url = boost::urls::parse_uri(text);
  if (url && url->scheme() == "rediss") {
    return refused(
        "Redis is reached without TLS only: use redis:// inside a "
        "private network, or a local TLS proxy");
  }
  if (!url || url->scheme() != "redis" || url->encoded_host().empty() || url->has_query() || url->has_fragment()) {
    return refused("must be an address such as redis://user:password@host:6379/0");
  }
  Address address;
  address.host = url->host_address();
  if (url->has_port() && !url->port().empty()) address.port = url->port();
  address.user = url->user();
  address.password = Secret(url->password());
  std::string_view path = url->encoded_path();
  if (path.starts_with('/')) path.remove_prefix(1);
  if (path.empty()) return address;
  const auto database = number(path);
  if (!database) return refused("the database behind the address of Redis must be a number");
  address.database = *database;
  return address;
}

}  // namespace mb::redis
