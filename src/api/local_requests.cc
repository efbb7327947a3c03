#include "api/local_requests.h"

#include <algorithm>
#include <array>
#include <boost/asio/ip/address.hpp>

#include "outbound/outbound.h"

namespace mb::api {

namespace {

// Headers that proxies, tunnels and content delivery networks add to a forwarded request.
constexpr std::array<std::string_view, 11> kForwardedHeaders = {"forwarded",
                                                                "via",
                                                                "x-real-ip",
                                                                "x-client-ip",
                                                                "true-client-ip",
                                                                "cf-connecting-ip",
                                                                "fastly-client-ip",
                                                                "fly-client-ip",
                                                                "x-original-host",
                                                                "x-cluster-client-ip",
                                                                "x-envoy-external-address"};
constexpr std::string_view kForwardedPrefix = "x-forwarded";

bool isForwarded(const http::Header& header) {
  const auto is = [&](std::string_view name) { return http::equalsIgnoreCase(header.name, name); };
  return http::equalsIgnoreCase(header.name.substr(0, kForwardedPrefix.size()), kForwardedPrefix) ||
         std::ranges::any_of(kForwardedHeaders, is);
}

// Browsers send the page's origin with each request that may change something, and "null" for pages without an origin.
bool namesAnotherSite(const http::Header& header) {
  if (http::equalsIgnoreCase(header.name, "origin")) return !isLoopbackUrl(header.value);
  return http::equalsIgnoreCase(header.name, "sec-fetch-site") && http::equalsIgnoreCase(header.value, "cross-site");
}

std::string_view withoutPort(std::string_view host) {
  if (host.starts_with('[')) {
    const size_t end = host.find(']');
    return end == std::string_view::npos ? std::string_view() : host.substr(1, end - 1);
  }
  // A setting may hold an IPv6 address without brackets.
  const size_t colon = host.find(':');
  return colon == host.rfind(':') ? host.substr(0, colon) : host;
}

}  // namespace

bool isLoopbackHost(std::string_view host) {
  const std::string_view name = withoutPort(host);
  if (http::equalsIgnoreCase(name, "localhost")) return true;
  boost::system::error_code failed;
  const auto address = boost::asio::ip::make_address(name, failed);
  return !failed && address.is_loopback();
}

bool isLoopbackUrl(std::string_view url) {
  const auto origin = outbound::originOf(url);
  return origin && isLoopbackHost(std::string_view(*origin).substr(origin->find("://") + 3));
}

bool LocalRequests::hasLocalConnection(const http::Request& request) const {
  // A target in absolute form names its own host, as requests to proxies do. Proxies that add no header often use
  // HTTP/1.0, as nginx does; local clients use 1.1.
  if (!localOnly_ || request.http10 || !request.target.starts_with('/')) return false;
  const auto host = request.header("host");
  return host && isLoopbackHost(*host) && std::ranges::none_of(request.headers, isForwarded);
}

bool LocalRequests::isLocal(const http::Request& request) const {
  return hasLocalConnection(request) && std::ranges::none_of(request.headers, namesAnotherSite);
}

}  // namespace mb::api
