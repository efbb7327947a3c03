#include "api/api_settings.h"

#include <boost/asio/ip/address.hpp>

namespace mb::api {

namespace ip = boost::asio::ip;

namespace {

// An IPv4 address in IPv6 clothes counts as what it is.
ip::address plain(const ip::address& address) {
  if (!address.is_v6() || !address.to_v6().is_v4_mapped()) return address;
  return ip::make_address_v4(ip::v4_mapped, address.to_v6());
}

}  // namespace

Result<TrustedProxies> TrustedProxies::parse(const std::vector<std::string>& networks) {
  TrustedProxies out;
  for (const auto& text : networks) {
    boost::system::error_code failed;
    const bool single = text.find('/') == std::string::npos;
    const ip::address address = ip::make_address(text.substr(0, text.find('/')), failed);
    if (failed) return fail(ErrorCode::validation, "\"" + text + "\" is not a network such as 10.0.0.0/8");
    if (address.is_v4()) {
      out.v4_.push_back(ip::make_network_v4(single ? text + "/32" : text, failed));
    } else {
      out.v6_.push_back(ip::make_network_v6(single ? text + "/128" : text, failed));
    }
    if (failed) return fail(ErrorCode::validation, "\"" + text + "\" is not a network such as 10.0.0.0/8");
  }
  return out;
}

bool TrustedProxies::trusts(std::string_view text) const {
  boost::system::error_code failed;
  const ip::address address = plain(ip::make_address(text, failed));
  if (failed) return false;
  if (address.is_v4()) {
    const auto v4 = address.to_v4();
    for (const auto& network : v4_) {
      if (ip::network_v4(v4, network.prefix_length()).canonical() == network.canonical()) return true;
    }
    return false;
  }
  for (const auto& network : v6_) {
    if (ip::network_v6(address.to_v6(), network.prefix_length()).canonical() == network.canonical()) return true;
  }
  return false;
}

ApiSettings::ApiSettings(Settings& settings)
    : control(settings.flag("SERVICE_CONTROL", true, "the control plane; off answers 404 on all of it")),
      defaultProject(settings.text("SERVICE_DEFAULT_PROJECT", "",
                                   "project (id or slug) of requests that name none and carry no token")),
      corsOrigins(
          settings.list("SERVICE_CORS_ORIGINS",
                        "origins of browsers that may use the control and admin planes, beside the server's own")),
      maxBody(static_cast<size_t>(
          settings.bytes("SERVICE_MAX_BODY", 1 << 20, 1 << 10, 64 << 20, "largest JSON body of a request"))) {
  const auto networks = settings.list("SERVICE_TRUSTED_PROXIES", "networks whose x-forwarded-for is believed");
  auto parsed = TrustedProxies::parse(networks);
  if (parsed) {
    trustedProxies = *std::move(parsed);
  } else {
    settings.refuse("SERVICE_TRUSTED_PROXIES", parsed.error().message());
  }
}

}  // namespace mb::api
