#include "billing/provider_event.h"

#include <gtest/gtest.h>

namespace mb::billing {
namespace {

TEST(ProviderEvent, IsReadFromSessionsAndSubscriptions) {
  auto session = providerEventOf(
      R"({"id":"evt_1","type":"checkout.session.completed","created":1800000000,"data":{"object":{"mode":"subscription",)"
      R"("customer":"cus_1","subscription":{"id":"sub_1"},"client_reference_id":"user_a","metadata":{"userId":"user_b"}}}})");
  ASSERT_TRUE(session) << session.error().message();
  EXPECT_TRUE(session->isHandled);
  EXPECT_EQ(session->id, "evt_1");
  EXPECT_EQ(session->created.ms, 1'800'000'000'000);
  EXPECT_EQ(session->customer, "cus_1");
  EXPECT_EQ(session->subscription, "sub_1");
  EXPECT_EQ(session->userId, "user_a");
  auto subscription =
      providerEventOf(R"({"id":"evt_2","type":"customer.subscription.deleted","created":1800000000,)"
                      R"("data":{"object":{"id":"sub_1","customer":{"id":"cus_1"},"metadata":{"userId":"user_b"}}}})");
  ASSERT_TRUE(subscription) << subscription.error().message();
  EXPECT_TRUE(subscription->isHandled);
  EXPECT_EQ(subscription->customer, "cus_1");
  EXPECT_EQ(subscription->subscription, "sub_1");
  EXPECT_EQ(subscription->userId, "user_b");
}

TEST(ProviderEvent, OfOtherTypesNeedsNoReferences) {
  for (const char* body :
       {R"({"id":"evt_1","type":"invoice.paid","created":1,"data":{"object":{}}})",
        R"({"id":"evt_1","type":"checkout.session.completed","created":1,"data":{"object":{"mode":"payment"}}})"}) {
    const auto event = providerEventOf(body);
    ASSERT_TRUE(event) << body;
    EXPECT_FALSE(event->isHandled) << body;
  }
}

TEST(ProviderEvent, OfAnotherFormIsRefused) {
  const std::string object = R"("data":{"object":{"id":"sub_1","customer":"cus_1"}}})";
  const std::string type = R"("type":"customer.subscription.updated",)";
  for (const std::string& body :
       {std::string(),
        std::string("[]"),
        std::string("null"),
        std::string("\"evt_1\""),
        std::string("{"),
        std::string("{}"),
        R"({"id":1,)" + type + R"("created":1,)" + object,
        R"({"id":"",)" + type + R"("created":1,)" + object,
        R"({"id":"../evt",)" + type + R"("created":1,)" + object,
        R"({"id":"evt_1","created":1,)" + object,
        R"({"id":"evt_1",)" + type + object,
        R"({"id":"evt_1",)" + type + R"("created":"1",)" + object,
        R"({"id":"evt_1",)" + type + R"("created":-1,)" + object,
        R"({"id":"evt_1",)" + type + R"("created":1e300,)" + object,
        R"({"id":"evt_1",)" + type + R"("created":1,"data":[]})",
        R"({"id":"evt_1",)" + type + R"("created":1,"data":{"object":null}})",
        R"({"id":"evt_1",)" + type + R"("created":1,"data":{"object":{"id":"sub_1"}}})",
        R"({"id":"evt_1",)" + type + R"("created":1,"data":{"object":{"id":"sub_1","customer":null}}})",
        R"({"id":"evt_1",)" + type + R"("created":1,"data":{"object":{"id":"../x","customer":"cus_1"}}})",
        std::string(kMaxEventBytes + 1, ' ')}) {
    const auto event = providerEventOf(body);
    ASSERT_FALSE(event) << body.substr(0, 200);
    EXPECT_EQ(event.error().code(), ErrorCode::validation) << body.substr(0, 200);
  }
}

}  // namespace
}  // namespace mb::billing
