#include "billing/provider_fixture.h"
#include "document/json.h"

namespace mb::billing {
namespace {

class ProviderTest : public ProviderFixture {
 protected:
  static CheckoutRequest request(std::string plan = "pro") {
    return {.userId = "user_ann",
            .email = "ann+x@example.com",
            .customer = {},
            .plan = std::move(plan),
            .successUrl = "https://api.example.com/ok?a=b",
            .cancelUrl = "https://api.example.com/no"};
  }
  static std::string header(const outbound::Request& request, std::string_view name) {
    for (const outbound::Header& each : request.headers) {
      if (each.name == name) return each.value;
    }
    return "";
  }
  void answer(int status, std::string body) {
    payments_.respondWith(outbound::Response{status, {}, std::move(body), ""});
  }
};

TEST_F(ProviderTest, CheckoutIsAFormWithTheReferencesOfTheUser) {
  const auto url = run(provider_.checkout(request(), "key"));
  ASSERT_TRUE(url) << url.error().cause();
  EXPECT_EQ(*url, "https://pay.example.com/c/cs_1");
  const auto sent = payments_.requests();
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[0].method, "GET");
  EXPECT_EQ(sent[0].url, "https://pay.example.com/v1/prices?active=true&limit=1&lookup_keys%5B%5D=pro");
  EXPECT_EQ(sent[1].method, "POST");
  EXPECT_EQ(sent[1].url, "https://pay.example.com/v1/checkout/sessions");
  EXPECT_EQ(sent[1].body,
            "mode=subscription&line_items%5B0%5D%5Bprice%5D=price_pro&line_items%5B0%5D%5Bquantity%5D=1"
            "&client_reference_id=user_ann&metadata%5Bplan%5D=pro&metadata%5BuserId%5D=user_ann"
            "&subscription_data%5Bmetadata%5D%5Bplan%5D=pro&subscription_data%5Bmetadata%5D%5BuserId%5D=user_ann"
            "&customer_email=ann%2Bx%40example.com&success_url=https%3A%2F%2Fapi.example.com%2Fok%3Fa%3Db"
            "&cancel_url=https%3A%2F%2Fapi.example.com%2Fno");
  for (const outbound::Request& each : sent) {
    EXPECT_EQ(header(each, "Authorization"), "Bearer " + std::string(kKey));
    EXPECT_EQ(header(each, "Stripe-Version"), kApiVersion);
    EXPECT_EQ(each.trust, outbound::Trust::deployment);
    EXPECT_EQ(each.maxRedirects, 0);
    EXPECT_LE(each.timeout, std::chrono::seconds(8));
  }
  EXPECT_EQ(header(sent[0], "Idempotency-Key"), "");
  EXPECT_EQ(header(sent[1], "content-type"), "application/x-www-form-urlencoded");
  EXPECT_TRUE(header(sent[1], "Idempotency-Key").starts_with("key-"));
}

TEST_F(ProviderTest, AKnownCustomerIsNamedInPlaceOfTheAddress) {
  CheckoutRequest known = request();
  known.customer = "cus_1";
  ASSERT_TRUE(run(provider_.checkout(known, "key")));
  const std::string body = payments_.requests().back().body;
  EXPECT_TRUE(body.contains("&customer=cus_1&"));
  EXPECT_FALSE(body.contains("customer_email"));
}

TEST_F(ProviderTest, AKeyGivesTheSameSessionForTheSameFieldsOnly) {
  const auto first = run(provider_.checkout(request(), "key"));
  const auto second = run(provider_.checkout(request(), "key"));
  const auto other = run(provider_.checkout(request("scale"), "key"));
  const auto third = run(provider_.checkout(request(), "key2"));
  ASSERT_TRUE(first && second && other && third);
  EXPECT_EQ(*first, *second);
  EXPECT_NE(*first, *other);
  EXPECT_NE(*first, *third);
}

TEST_F(ProviderTest, WaitsForACallWithTheSameKey) {
  payments_.holdKeys(2);
  EXPECT_TRUE(run(provider_.checkout(request(), "key")));
  EXPECT_EQ(payments_.count("/v1/checkout/sessions"), 3U);
  payments_.holdKeys(10);
  EXPECT_EQ(codeOf(run(provider_.checkout(request(), "key"))), "UPSTREAM_FAILED");
  EXPECT_EQ(payments_.count("/v1/checkout/sessions"), 6U);
}

TEST_F(ProviderTest, APriceIsKeptForAnHour) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(run(provider_.checkout(request(), "key")));
  EXPECT_EQ(payments_.count("/v1/prices"), 1U);
  clock_.advance(kPriceMs - 1);
  ASSERT_TRUE(run(provider_.checkout(request(), "key")));
  EXPECT_EQ(payments_.count("/v1/prices"), 1U);
  clock_.advance(1);
  ASSERT_TRUE(run(provider_.checkout(request(), "key")));
  EXPECT_EQ(payments_.count("/v1/prices"), 2U);
  // A clock that is set back keeps it no longer.
  clock_.advance(-30LL * 86'400'000);
  ASSERT_TRUE(run(provider_.checkout(request(), "key")));
  EXPECT_EQ(payments_.count("/v1/prices"), 3U);
}

TEST_F(ProviderTest, ARefusedCheckoutLooksThePriceUpAgain) {
  ASSERT_TRUE(run(provider_.checkout(request(), "key")));
  answer(400, R"({"error":{"type":"invalid_request_error","code":"resource_missing"}})");
  EXPECT_EQ(codeOf(run(provider_.checkout(request(), "key"))), "UPSTREAM_FAILED");
  payments_.respondWith(std::nullopt);
  ASSERT_TRUE(run(provider_.checkout(request(), "key")));
  EXPECT_EQ(payments_.count("/v1/prices"), 2U);
}

TEST_F(ProviderTest, APlanWithoutAPriceIsAnErrorOfTheProvider) {
  const auto url = run(provider_.checkout(request("gold"), "key"));
  ASSERT_FALSE(url);
  EXPECT_EQ(codeOf(url), "UPSTREAM_FAILED");
  EXPECT_TRUE(url.error().cause().contains("lookup_key"));
}

TEST_F(ProviderTest, PortalNamesTheCustomer) {
  const auto url = run(provider_.portal("cus_1", "https://api.example.com/back", "key"));
  ASSERT_TRUE(url);
  EXPECT_EQ(payments_.requests().back().url, "https://pay.example.com/v1/billing_portal/sessions");
  EXPECT_EQ(payments_.requests().back().body, "customer=cus_1&return_url=https%3A%2F%2Fapi.example.com%2Fback");
}

TEST_F(ProviderTest, SubscriptionsAreReadOneByOneAndInPages) {
  for (int i = 0; i < 250; ++i)
    payments_.sell(fmt::format("sub_{:03}", i), {.customer = "cus_1", .userId = "user_ann"});
  const auto one = run(provider_.subscription("sub_007"));
  ASSERT_TRUE(one && *one);
  EXPECT_EQ((*one)->customer, "cus_1");
  EXPECT_EQ((*one)->plan, "pro");
  EXPECT_EQ((*one)->userId, "user_ann");
  EXPECT_EQ((*one)->currentPeriodEnd->ms, 1'900'000'000'000);
  EXPECT_FALSE(*run(provider_.subscription("sub_999")));
  std::string after;
  std::vector<std::string> ids;
  for (bool more = true; more;) {
    const auto page = run(provider_.subscriptions(after));
    ASSERT_TRUE(page);
    for (const RemoteSubscription& each : page->subscriptions) ids.push_back(each.id);
    after = ids.back();
    more = page->more;
  }
  EXPECT_EQ(ids.size(), 250U);
  EXPECT_EQ(payments_.requests().back().url,
            "https://pay.example.com/v1/subscriptions?status=all&limit=100&starting_after=sub_199");
}

TEST_F(ProviderTest, AnIdThatIsNoneIsNotSent) {
  EXPECT_FALSE(*run(provider_.subscription("../customers")));
  EXPECT_TRUE(payments_.requests().empty());
}

TEST_F(ProviderTest, FailuresHideTheProvidersTextAndTheKey) {
  const std::string secretText = R"({"error":{"type":"Bad Type!","code":"api_key_expired","message":"key )" +
                                 std::string(kKey) + R"( is wrong"}})";
  for (const int status : {301, 400, 401, 402, 403, 404, 409, 429, 500, 503}) {
    answer(status, secretText);
    const auto found = run(provider_.subscription("sub_1"));
    ASSERT_FALSE(found) << status;
    EXPECT_EQ(codeOf(found), "UPSTREAM_FAILED") << status;
    EXPECT_EQ(found.error().message(), "request failed");
    EXPECT_EQ(found.error().cause().find("secret"), std::string::npos) << found.error().cause();
    EXPECT_TRUE(found.error().cause().contains(fmt::format("status {}, type unknown, code api_key_expired", status)));
  }
  for (const char* body :
       {"", "garbage", "[]", "{}", R"({"id":"sub_2","customer":"cus_1","status":"active","created":1})",
        R"({"id":"sub_1","customer":"cus_1","status":"active"})",
        R"({"id":"sub_1","customer":null,"status":"active","created":1})"}) {
    answer(200, body);
    EXPECT_EQ(codeOf(run(provider_.subscription("sub_1"))), "UPSTREAM_FAILED") << body;
  }
  for (const char* body :
       {"{}", R"({"data":{}})", R"({"data":[1]})", R"({"data":[{}]})", R"({"data":[],"has_more":true})"}) {
    answer(200, body);
    EXPECT_EQ(codeOf(run(provider_.subscriptions(""))), "UPSTREAM_FAILED") << body;
  }
  for (const char* body : {"{}", R"({"url":null})", R"({"url":"javascript:1"})"}) {
    answer(200, body);
    EXPECT_EQ(codeOf(run(provider_.portal("cus_1", "https://api.example.com", "key"))), "UPSTREAM_FAILED") << body;
  }
  payments_.respondWith(std::nullopt);
  payments_.failWith(ErrorCode::upstreamTimeout);
  EXPECT_EQ(codeOf(run(provider_.subscription("sub_1"))), "UPSTREAM_FAILED");
  payments_.failWith(ErrorCode::validation);
  EXPECT_EQ(codeOf(run(provider_.subscription("sub_1"))), "UPSTREAM_FAILED");
  payments_.failWith(ErrorCode::unavailable);
  EXPECT_EQ(codeOf(run(provider_.subscription("sub_1"))), "UNAVAILABLE");
}

TEST(RemoteSubscription, IsReadFromBothPlacesOfThePeriod) {
  const auto read = [](std::string_view json) { return subscriptionOf(*doc::parseJson(json)); };
  const auto older = read(
      R"({"id":"sub_1","customer":{"id":"cus_1"},"status":"active","created":5,"current_period_end":9,)"
      R"("metadata":{"plan":"scale"},"items":{"data":[{"price":{"lookup_key":null}}]},"cancel_at_period_end":true,)"
      R"("canceled_at":7})");
  ASSERT_TRUE(older);
  EXPECT_EQ(older->customer, "cus_1");
  EXPECT_EQ(older->plan, "scale");
  EXPECT_EQ(older->currentPeriodEnd->ms, 9000);
  EXPECT_TRUE(older->cancelAtPeriodEnd);
  EXPECT_EQ(older->dated.ms, 7000);
  const auto newer = read(
      R"({"id":"sub_1","customer":"cus_1","status":"trialing","created":5,"items":{"data":[{"current_period_start":8,)"
      R"("current_period_end":9,"price":{"lookup_key":"pro"}}]},"metadata":{"plan":"scale"}})");
  ASSERT_TRUE(newer);
  EXPECT_EQ(newer->plan, "pro");
  EXPECT_EQ(newer->currentPeriodEnd->ms, 9000);
  EXPECT_EQ(newer->dated.ms, 8000);
  EXPECT_FALSE(read(R"({"object":"charge","id":"sub_1","customer":"cus_1","status":"active","created":5})"));
}

}  // namespace
}  // namespace mb::billing
