#include "api/api_settings.h"

namespace mb::api {

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
