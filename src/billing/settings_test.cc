#include "billing/settings.h"

#include <gtest/gtest.h>

namespace mb::billing {
namespace {

TEST(BillingSettings, AreOffByDefault) {
  Settings settings({});
  const BillingSettings billing(settings);
  EXPECT_FALSE(billing.on);
  EXPECT_FALSE(billing.secretKey);
  EXPECT_EQ(billing.apiUrl, "https://api.stripe.com");
  EXPECT_EQ(settings.errors(), std::vector<std::string>{});
}

TEST(BillingSettings, NeedAKeyWhenOn) {
  Settings settings({{"SERVICE_BILLING", "on"}});
  const BillingSettings billing(settings);
  ASSERT_EQ(settings.errors().size(), 1u);
  EXPECT_NE(settings.errors()[0].find("SERVICE_BILLING_SECRET_KEY"), std::string::npos);
}

TEST(BillingSettings, AreTakenAsGiven) {
  Settings settings({{"SERVICE_BILLING", "on"},
                     {"SERVICE_BILLING_SECRET_KEY", "sk_test_1"},
                     {"SERVICE_BILLING_WEBHOOK_SECRET", "whsec_1"},
                     {"SERVICE_BILLING_API_URL", "http://127.0.0.1:12111/"}});
  const BillingSettings billing(settings);
  EXPECT_EQ(settings.errors(), std::vector<std::string>{});
  EXPECT_TRUE(billing.on);
  EXPECT_EQ(billing.secretKey->reveal(), "sk_test_1");
  EXPECT_EQ(billing.webhookSecret->reveal(), "whsec_1");
  EXPECT_EQ(billing.apiUrl, "http://127.0.0.1:12111");
}

TEST(BillingSettings, RefuseOtherAddressesAndKeys) {
  for (const char* bad : {"", "api.stripe.com", "ftp://api.stripe.com", "https://api.stripe.com?x=1",
                          "https://api.stripe.com#x", "https://u:p@api.stripe.com", "https://"}) {
    Settings settings({{"SERVICE_BILLING_API_URL", bad}});
    const BillingSettings billing(settings);
    ASSERT_EQ(settings.errors().size(), 1u) << bad;
    EXPECT_NE(settings.errors()[0].find("SERVICE_BILLING_API_URL"), std::string::npos) << bad;
  }
  Settings settings({{"SERVICE_BILLING", "on"}, {"SERVICE_BILLING_SECRET_KEY", "sk\nx: y"}});
  const BillingSettings billing(settings);
  EXPECT_EQ(settings.errors().size(), 1u);
}

}  // namespace
}  // namespace mb::billing
