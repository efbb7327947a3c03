#include "billing/settings.h"

#include "outbound/outbound.h"

namespace mb::billing {

namespace {

Result<std::string> parseApiUrl(std::string_view text) {
  while (text.ends_with('/')) text.remove_suffix(1);
  TRY(const std::string origin, outbound::originOf(text));
  if (text.find_first_of("?#") == std::string_view::npos) return std::string(text);
  return fail(ErrorCode::validation, "must be a URL without a query and a fragment, such as " + origin);
}

}  // namespace

BillingSettings::BillingSettings(Settings& settings)
    : on(settings.flag("SERVICE_BILLING", false, "plans with limits, and their payment")),
      secretKey(settings.secret("SERVICE_BILLING_SECRET_KEY",
                                "secret key of the payment provider; required with "
                                "SERVICE_BILLING=on")),
      webhookSecret(settings.secret("SERVICE_BILLING_WEBHOOK_SECRET",
                                    "secret that signs the payment provider's events; unset: every event is refused")),
      apiUrl(settings.parsed<std::string>("SERVICE_BILLING_API_URL", "https://api.stripe.com",
                                          "address of the payment provider's API", parseApiUrl)) {
  if (secretKey && !outbound::isHeaderValue(secretKey->reveal())) {
    settings.refuse("SERVICE_BILLING_SECRET_KEY", "must be printable ASCII");
  }
  if (on && (!secretKey || secretKey->reveal().empty())) {
    settings.refuse("SERVICE_BILLING_SECRET_KEY", "is required with SERVICE_BILLING=on");
  }
  if (webhookSecret && webhookSecret->reveal().empty()) webhookSecret.reset();
}

}  // namespace mb::billing
