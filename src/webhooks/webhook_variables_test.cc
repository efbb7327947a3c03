// Variables in webhooks: at save, at a delivery, in an import.
#include <gmock/gmock.h>

#include "webhooks/webhooks_fixture.h"

namespace mb::webhooks {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class WebhookVariables : public WebhooksFixture {
 protected:
  static NewWebhook to(std::string url, std::string_view headers = "{}", std::string name = "w") {
    NewWebhook made = hook(std::move(name));
    made.url = std::move(url);
    made.headers = json(headers);
    return made;
  }
  Result<CreatedWebhook> make(NewWebhook input, std::vector<std::string> permissions = {"*"}) {
    return run(webhooks_.create({callerWith(std::move(permissions)), snapshot(shop_), soon()}, std::move(input)));
  }
  DeliveryView test(std::string name = "w") {
    auto sent = run(webhooks_.test(access(), std::move(name)));
    EXPECT_TRUE(sent);
    return sent ? *std::move(sent) : DeliveryView();
  }
  static std::string headerOf(const outbound::Request& request, std::string_view name) {
    for (const outbound::Header& each : request.headers) {
      if (each.name == name) return each.value;
    }
    return "";
  }
};

TEST_F(WebhookVariables, ADeliveryUsesTheirValuesAsTheyAreThen) {
  ASSERT_TRUE(make(to("${URL}/orders", R"({"x-token":"Bearer ${TOKEN}"})")));
  EXPECT_EQ(test().error.value_or(""), "the variable URL has no value: set it");
  ASSERT_TRUE(setPlain("URL", "https://a.example"));
  EXPECT_EQ(test().error.value_or(""), "the variable TOKEN has no value: set it");
  EXPECT_TRUE(receivers_.sent().empty());
  ASSERT_TRUE(setSecret("TOKEN", "marked-1"));
  EXPECT_EQ(test().status, "delivered");
  EXPECT_EQ(receivers_.sent().back().url, "https://a.example/orders");
  EXPECT_EQ(headerOf(receivers_.sent().back(), "x-token"), "Bearer marked-1");
  ASSERT_TRUE(setVariable("TOKEN", {"marked-2", {}, {}}));
  EXPECT_EQ(test().status, "delivered");
  EXPECT_EQ(headerOf(receivers_.sent().back(), "x-token"), "Bearer marked-2");
  EXPECT_EQ(view("w").url, "${URL}/orders");
  EXPECT_THAT(exported(shop_), Not(HasSubstr("marked")));
  for (const doc::Document& entry : memory_.all({shop_, audit::kAuditCollection, 0})) {
    EXPECT_THAT(doc::toJson(entry), Not(HasSubstr("a.example")));
  }
}

TEST_F(WebhookVariables, AQueuedDeliveryWithoutAValueIsLoggedWithItsName) {
  const store::CollectionInfo orders = collection("orders");
  ASSERT_TRUE(make(to("${URL}")));
  put(orders, "a", "{}");
  ASSERT_TRUE(until([&] {
    pass(std::chrono::seconds(5));
    return log("w").size() == 1;
  }));
  EXPECT_EQ(log("w").front().status, "failed");
  EXPECT_EQ(log("w").front().attempts, 3);
  EXPECT_EQ(log("w").front().error.value_or(""), "the variable URL has no value: set it");
}

TEST_F(WebhookVariables, ValuesAreCheckedAtSaveWhereTheyAreKnown) {
  ASSERT_TRUE(setPlain("FTP", "ftp://a.example"));
  ASSERT_TRUE(setPlain("LINES", "a\r\nb: c"));
  ASSERT_TRUE(setSecret("TOKEN", "t"));
  EXPECT_THAT(details(make(to("${FTP}"))), HasSubstr("/url must"));
  EXPECT_THAT(details(make(to("https://a.example", R"({"x":"${LINES}"})"))), HasSubstr("/headers/x must"));
  EXPECT_THAT(details(make(to("https://a.example/${TOKEN}"))), HasSubstr("/url names the secret variable TOKEN"));
  ASSERT_TRUE(make(to("https://a.example/${P}", R"({"x":"${TOKEN} ${H}"})")));
  // Also while another variable of the header has no value.
  EXPECT_THAT(details(setVariable("TOKEN", {"a\nb", {}, {}})), HasSubstr("/value does not fit webhooks/w/headers/x: "));
  EXPECT_THAT(details(setVariable("H", {"a\nb", {}, {}})), HasSubstr("/value does not fit webhooks/w/headers/x: "));
  EXPECT_THAT(details(setVariable("P", {"x", true, {}})), HasSubstr("webhooks/w/url: names the secret variable P"));
  EXPECT_TRUE(setVariable("H", {"h", true, {}}));
}

TEST_F(WebhookVariables, ASecretOneIsSentByThoseWhoManageVariablesOnly) {
  ASSERT_TRUE(setSecret("TOKEN", "t"));
  const std::vector<std::string> less{"webhooks:manage"};
  EXPECT_EQ(codeOf(make(to("https://a.example", R"({"x":"${TOKEN}"})"), less)), "FORBIDDEN");
  EXPECT_EQ(codeOf(make(to("https://a.example", R"({"x":"${LATER}"})"), less)), "FORBIDDEN");
  ASSERT_TRUE(make(to("https://a.example", R"({"x":"${TOKEN}"})"), {"webhooks:manage", "variables:manage"}));
  const auto change = [&](WebhookPatch patch) {
    return codeOf(run(webhooks_.change({callerWith(less), snapshot(shop_), soon()}, "w", std::move(patch))));
  };
  WebhookPatch url;
  url.url = "https://evil.example";
  EXPECT_EQ(change(url), "FORBIDDEN");
  WebhookPatch enabled;
  enabled.enabled = false;
  EXPECT_EQ(change(enabled), "");
  const auto import = [&](std::string_view url, std::vector<std::string> permissions) {
    const std::string document = fmt::format(
        R"({{"formatVersion":1,"webhooks":[{{"name":"w","collection":"orders","events":["insert"],"url":"{}",
            "headers":{{"x":"${{TOKEN}}"}}}}]}})",
        url);
    return codeOf(plan(shop_, document, callerWith(std::move(permissions))));
  };
  EXPECT_EQ(import("https://a.example", {"config:manage", "webhooks:manage"}), "") << "only its events change";
  EXPECT_EQ(import("https://evil.example", {"config:manage", "webhooks:manage"}), "FORBIDDEN");
  EXPECT_EQ(import("https://evil.example", {"config:manage", "webhooks:manage", "variables:manage"}), "");
}

TEST_F(WebhookVariables, AValueThatMovesASecretIsConfirmed) {
  ASSERT_TRUE(setSecret("TOKEN", "t"));
  ASSERT_TRUE(setPlain("URL", "https://a.example"));
  ASSERT_TRUE(make(to("${URL}/x", R"({"x":"${TOKEN}"})")));
  const auto less = callerWith({"variables:manage"});
  EXPECT_THAT(details(setVariable("URL", {"https://b.example", {}, {}}, less)), HasSubstr("/moveSecrets must be true"));
  EXPECT_EQ(codeOf(setVariable("URL", {"https://b.example", {}, true}, less)), "FORBIDDEN");
  EXPECT_TRUE(setVariable("URL", {"https://b.example", {}, true}));
  // A webhook that sends no secret moves none.
  ASSERT_TRUE(setPlain("OTHER", "https://a.example"));
  ASSERT_TRUE(make(to("${OTHER}", "{}", "free")));
  EXPECT_TRUE(setVariable("OTHER", {"https://b.example", {}, {}}, less));
}

TEST_F(WebhookVariables, AnImportListsNamesWithoutAValue) {
  const std::string document =
      R"({"formatVersion":1,"webhooks":[{"name":"w","collection":"orders","events":["insert"],"url":"${URL}",
          "headers":{"x":"${TOKEN}"}}]})";
  const std::string all = details(plan(shop_, document));
  EXPECT_THAT(all, HasSubstr("/webhooks/0/url names the variable URL, which has no value"));
  EXPECT_THAT(all, HasSubstr("/webhooks/0/headers/x names the variable TOKEN, which has no value"));
  projects::ImportMode mode;
  mode.allowMissing = true;
  EXPECT_EQ(summary(run(configuration_->import(target(shop_), json(document), mode))), "1 0 0");
  const auto removed = run(variables_.remove({admin(), snapshot(shop_), soon()}, "URL"));
  EXPECT_EQ(codeOf(removed), "NOT_FOUND");
  ASSERT_TRUE(setPlain("URL", "https://a.example"));
  EXPECT_EQ(codeOf(run(variables_.remove({admin(), snapshot(shop_), soon()}, "URL"))), "CONFLICT");
}

}  // namespace
}  // namespace mb::webhooks
