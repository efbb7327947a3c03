#include "api/api_settings.h"

#include "outbound/outbound.h"

namespace mb::api {

namespace {

Result<std::string> parseOrigin(std::string_view text) {
  if (text.empty()) return std::string();
  TRY(std::string origin, outbound::originOf(text));
  while (text.ends_with('/')) text.remove_suffix(1);
  if (std::ranges::count(text, '/') == 2 && text.find_first_of("?#") == std::string_view::npos) return origin;
  return fail(ErrorCode::validation, "must be an origin such as https://functions.example.com");
}

}  // namespace

Result<TrustedProxies> TrustedProxies::parse(const std::vector<std::string>& networks) {
  TrustedProxies out;
  TRY(out.networks_, Networks::parse(networks));
  return out;
}

bool TrustedProxies::trusts(std::string_view text) const {
  boost::system::error_code failed;
  const auto address = boost::asio::ip::make_address(text, failed);
  return !failed && networks_.contain(address);
}

bool ApiSettings::isForRunHost(const http::Request& request) const {
  if (runOrigin.empty()) return false;
  const auto host = request.header("host");
  return host && http::equalsIgnoreCase(*host, std::string_view(runOrigin).substr(runOrigin.find("://") + 3));
}

bool TrustedProxies::trustAnybody() const {
  // Addresses reserved for documentation: no machine has them, so only a very wide network contains both.
  return (trusts("192.0.2.1") && trusts("203.0.113.1")) || (trusts("2001:db8::1") && trusts("3fff::1"));
}

ApiSettings::ApiSettings(Settings& settings)
    : control(settings.flag("SERVICE_CONTROL", true, "the control plane; off: all of its routes respond 404")),
      defaultProject(settings.text("SERVICE_DEFAULT_PROJECT", "",
                                   "project (id or slug) of requests that name no project and carry no token")),
      corsOrigins(
          settings.list("SERVICE_CORS_ORIGINS",
                        "further origins, besides the server's own, that may use the control and admin planes")),
      publicRate(settings.parsed<identity::Rate>(
          "SERVICE_PUBLIC_RATE_LIMIT", "30/60",
          "requests per seconds without a token that public rules serve, reads by GET aside, per address and project",
          identity::parseRate)),
      maxBody(static_cast<size_t>(
          settings.bytes("SERVICE_MAX_BODY", 1 << 20, 1 << 10, 64 << 20, "largest JSON body of a request"))),
      runOrigin(settings.parsed<std::string>(
          "SERVICE_RUN_ORIGIN", "",
          "separate origin under which browsers reach functions; unset: their responses are sandboxed", parseOrigin)) {
  const auto networks = settings.list("SERVICE_TRUSTED_PROXIES", "networks whose x-forwarded-for is trusted");
  auto parsed = TrustedProxies::parse(networks);
  if (parsed) {
    trustedProxies = *std::move(parsed);
  } else {
    settings.refuse("SERVICE_TRUSTED_PROXIES", parsed.error().message());
  }
}

}  // namespace mb::api
