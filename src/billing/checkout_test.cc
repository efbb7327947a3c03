#include "billing/checkout.h"

#include "billing/provider_fixture.h"

namespace mb::billing {
namespace {

class CheckoutTest : public ProviderFixture {
 protected:
  Result<std::string> checkout(const policy::Caller& by, std::string plan = "pro") {
    return run(checkout_.checkout(by, std::move(plan), soon()));
  }
  Result<std::string> portal(const policy::Caller& by) { return run(checkout_.portal(by, soon())); }
  void subscribe(const policy::Caller& by, Sold sold) {
    sold.customer = "cus_1";
    payments_.sell("sub_1", sold);
    const auto applied = takeBody(checkoutEvent("evt_" + sold.status, "sub_1", "cus_1", by.id, kNow));
    ASSERT_TRUE(applied && *applied);
  }
  const policy::Caller ann_ = user("user_ann");
};

TEST_F(CheckoutTest, ReturnsTheUrlOfASession) {
  const auto url = checkout(ann_);
  ASSERT_TRUE(url) << url.error().cause();
  EXPECT_EQ(*url, "https://pay.example.com/c/cs_1");
  const std::string form = payments_.requests().back().body;
  EXPECT_TRUE(form.contains("client_reference_id=user_ann&"));
  EXPECT_TRUE(form.contains("customer_email=user_ann%40example.com"));
  const std::string page = "https%3A%2F%2Fapi.example.com%2Fdashboard%2Faccount%2Fbilling";
  EXPECT_TRUE(form.contains("success_url=" + page + "%3Fcheckout%3Dsuccess"));
}

TEST_F(CheckoutTest, FreeAndUnknownPlansAreRefused) {
  for (const char* plan : {"free", "gold", "", "PRO"}) {
    const auto url = checkout(ann_, plan);
    ASSERT_FALSE(url) << plan;
    EXPECT_EQ(codeOf(url), "VALIDATION") << plan;
    EXPECT_EQ(url.error().details().at(0).path, "/plan");
  }
  EXPECT_TRUE(payments_.requests().empty());
}

TEST_F(CheckoutTest, AnActiveSubscriptionRefusesAnotherOne) {
  for (const char* status : {"active", "trialing"}) {
    subscribe(ann_, {.status = status});
    EXPECT_EQ(codeOf(checkout(ann_)), "CONFLICT") << status;
  }
  subscribe(ann_, {.status = "past_due"});
  EXPECT_TRUE(checkout(ann_));
  EXPECT_TRUE(payments_.requests().back().body.contains("&customer=cus_1&"));
}

TEST_F(CheckoutTest, ASubscriptionThatEndedAllowsAnotherOne) {
  subscribe(ann_, {.periodEnd = kNow + 60, .cancels = true});
  EXPECT_EQ(codeOf(checkout(ann_)), "CONFLICT");
  clock_.advance(61'000);
  EXPECT_TRUE(checkout(ann_));
}

TEST_F(CheckoutTest, ASubscriptionThatRenewsHasNotEnded) {
  subscribe(ann_, {.periodEnd = kNow + 60});
  clock_.advance(3'600'000);
  EXPECT_EQ(codeOf(checkout(ann_)), "CONFLICT");
}

TEST_F(CheckoutTest, TwoOfAUserForAPlanAreOneSession) {
  const policy::Caller bob = user("user_bob");
  const auto first = checkout(ann_);
  const auto second = checkout(ann_);
  const auto other = checkout(bob);
  const auto larger = checkout(ann_, "scale");
  ASSERT_TRUE(first && second && other && larger);
  EXPECT_EQ(*first, *second);
  EXPECT_NE(*first, *other);
  EXPECT_NE(*first, *larger);
  clock_.advance(kCheckoutWindowMs);
  const auto later = checkout(ann_);
  ASSERT_TRUE(later);
  EXPECT_NE(*first, *later);
}

TEST_F(CheckoutTest, ThePortalIsForCustomers) {
  EXPECT_EQ(codeOf(portal(ann_)), "CONFLICT");
  subscribe(ann_, {});
  const auto url = portal(ann_);
  ASSERT_TRUE(url);
  EXPECT_EQ(*url, "https://pay.example.com/c/cs_1");
  // Also once the subscription has ended: that is where invoices are.
  subscribe(ann_, {.status = "canceled"});
  EXPECT_TRUE(portal(ann_));
}

TEST_F(CheckoutTest, AGrantRefusesThePortalAndAllowsACheckout) {
  subscribe(ann_, {.status = "canceled"});
  clock_.advance(1000);
  grant("user_ann", "scale");
  EXPECT_EQ(codeOf(portal(ann_)), "CONFLICT");
  EXPECT_TRUE(checkout(ann_));
}

TEST_F(CheckoutTest, FailuresOfTheProviderAreOnesOfACallOut) {
  payments_.failWith(ErrorCode::upstreamTimeout);
  EXPECT_EQ(codeOf(checkout(ann_)), "UPSTREAM_FAILED");
  payments_.failWith(std::nullopt);
  EXPECT_EQ(codeOf(run(checkout_.checkout(ann_, "pro", std::chrono::steady_clock::now()))), "UNAVAILABLE");
}

}  // namespace
}  // namespace mb::billing
