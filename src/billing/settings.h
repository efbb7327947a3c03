// Settings of billing.
#pragma once

#include <optional>
#include <string>

#include "base/settings.h"

namespace mb::billing {

struct BillingSettings {
  explicit BillingSettings(Settings& settings);
  BillingSettings() = default;
  bool on = false;                      // SERVICE_BILLING
  std::optional<Secret> secretKey;      // SERVICE_BILLING_SECRET_KEY; required when on
  std::optional<Secret> webhookSecret;  // SERVICE_BILLING_WEBHOOK_SECRET; without it every event is refused
  std::string apiUrl;                   // SERVICE_BILLING_API_URL, without a slash at its end
};

}  // namespace mb::billing
