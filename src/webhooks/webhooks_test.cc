#include "events/subscription.h"
#include "store/records.h"
#include "webhooks/signature.h"
#include "webhooks/stable_id.h"
#include "webhooks/webhooks_fixture.h"

namespace mb::webhooks {
namespace {

class WebhooksTest : public WebhooksFixture {};

TEST_F(WebhooksTest, SecretsAreSealedUnderTheirWebhook) {
  const std::string secret = create(hook("w"));
  EXPECT_TRUE(secret.starts_with("whsec_"));
  const auto stored = memory_.all({shop_, kWebhooks, 0}).at(0);
  EXPECT_EQ(stored.bytes().find(secret), std::string::npos);
  const store::SealedField field = sealedFields().front();
  const std::string context = field.context(snapshot(shop_)->info().id.str(), stored);
  const auto plain = master_.unseal(*fromBase64(stored.view().stringOr(field.field)), context);
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->reveal(), secret);
  EXPECT_FALSE(master_.unseal(*fromBase64(stored.view().stringOr(field.field)), "other"));
}

TEST_F(WebhooksTest, OneThatIsRestoredSaysNothingUntilItIsEnabled) {
  collection("orders");
  create(hook("w"));
  const auto restored = events::restoredFollower(memory_.all({shop_, kWebhooks, 0}).at(0), {{"orders", 1007}});
  const auto record = store::fromStore<WebhookRecord>(restored.view());
  ASSERT_TRUE(record);
  EXPECT_FALSE(record->enabled);
  EXPECT_EQ(record->after, 0);
  EXPECT_EQ(record->collectionNo, 1007);
  EXPECT_FALSE(record->secret.empty());
}

TEST_F(WebhooksTest, NamesAreTakenWithoutRegardToCase) {
  create(hook("Orders"));
  EXPECT_EQ(codeOf(run(webhooks_.create(access(), hook("orders")))), "CONFLICT");
  EXPECT_EQ(codeOf(run(webhooks_.remove(access(), "orders"))), "NOT_FOUND");
  EXPECT_EQ(codeOf(change("ORDERS", {})), "NOT_FOUND");
  EXPECT_EQ(webhooks_.list(*snapshot(shop_)).size(), 1u);
}

TEST_F(WebhooksTest, NoneIsEnabledWithoutASecret) {
  ASSERT_TRUE(run(webhooks_.import(access(), hook("w"))));
  EXPECT_FALSE(view("w").enabled);
  EXPECT_FALSE(view("w").secret.configured);
  WebhookPatch on;
  on.enabled = true;
  EXPECT_EQ(codeOf(change("w", on)), "CONFLICT");
  EXPECT_EQ(codeOf(run(webhooks_.test(access(), "w"))), "CONFLICT");
  ASSERT_TRUE(run(webhooks_.rotate(access(), "w")));
  EXPECT_FALSE(view("w").enabled);
  EXPECT_TRUE(change("w", on));
  EXPECT_TRUE(view("w").enabled);
}

TEST_F(WebhooksTest, ACursorIsThereWhileSomebodyFollows) {
  EXPECT_EQ(memory_.keptAfter(shop_), std::nullopt);
  create(hook("w"));
  EXPECT_EQ(memory_.keptAfter(shop_), 0u);
  WebhookPatch off;
  off.enabled = false;
  ASSERT_TRUE(change("w", off));
  const auto orders = collection("orders");
  put(orders, "a", "{}");
  EXPECT_TRUE(until([&] { return !memory_.keptAfter(shop_); }));
  EXPECT_TRUE(receivers_.sent().empty());
}

TEST_F(WebhooksTest, AFailedCommitLeavesNothingBehind) {
  store_.stopAfter(0);
  EXPECT_FALSE(run(webhooks_.create(access(), hook("w"))));
  store_.stopAfter(-1);
  EXPECT_TRUE(until([&] { return !memory_.keptAfter(shop_); }));
  EXPECT_TRUE(webhooks_.list(*snapshot(shop_)).empty());
}

TEST_F(WebhooksTest, EveryChangeIsAudited) {
  create(hook("w"));
  ASSERT_TRUE(change("w", {}));
  ASSERT_TRUE(run(webhooks_.rotate(access(), "w")));
  ASSERT_TRUE(run(webhooks_.remove(access(), "w")));
  EXPECT_EQ(auditActions(shop_),
            (std::vector<Text>{"webhook.created", "webhook.changed", "webhook.rotated", "webhook.deleted"}));
}

TEST_F(WebhooksTest, RenamesAreFollowedAndDropsLeaveTheName) {
  create(hook("early", "orders"));  // before the collection exists
  collection("orders");
  create(hook("bound", "orders"));
  const policy::Caller caller = admin();
  ASSERT_TRUE(run(data_->collections().rename({caller, snapshot(shop_)}, "orders", "sales")));
  EXPECT_EQ(view("early").collection, "sales");
  EXPECT_EQ(view("bound").collection, "sales");
  collection("orders");  // another one, which the webhook does not follow
  EXPECT_EQ(view("early").collection, "sales");
  ASSERT_TRUE(run(data_->collections().drop({caller, snapshot(shop_)}, "sales")));
  EXPECT_EQ(view("bound").collection, "sales");
  const auto again = collection("sales");
  put(again, "a", "{}");
  EXPECT_TRUE(until([&] { return receivers_.sent().size() == 2; }));
}

// ---- configuration

TEST_F(WebhooksTest, AnImportOfAnExportIsTheSameShape) {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    const store::ProjectNo from = made(seed, seed + 100);
    std::mt19937 chance(seed);
    for (size_t i = 0; i < seed % 5; ++i) {
      NewWebhook one = hook(fmt::format("{}{}", chance() % 2 ? "Hook" : "a-hook", i), "orders");
      if (chance() % 2) one.events = {"delete", "insert"};
      if (chance() % 2) one.headers = json(R"({"X-b":"2","a":"1"})");
      if (chance() % 2) one.fields = std::vector<std::string>{"z", "a.b"};
      ASSERT_TRUE(run(webhooks_.create(access(from), std::move(one))));
    }
    const Text shape = exported(from);
    const store::ProjectNo to = project();
    ASSERT_TRUE(import(to, shape)) << shape;
    EXPECT_EQ(exported(to), shape);
    const auto again = import(to, shape);
    ASSERT_TRUE(again);
    EXPECT_TRUE(summary(again).starts_with("0 0 ")) << summary(again);
    for (const WebhookView& each : webhooks_.list(*snapshot(to))) {
      EXPECT_FALSE(each.enabled);
      EXPECT_FALSE(each.secret.configured);
    }
    forget(from);
    forget(to);
  }
}

TEST_F(WebhooksTest, AnImportChangesOneThatStandsAndKeepsItsState) {
  create(hook("w"));
  const auto done = import(shop_, R"({"formatVersion":1,"webhooks":[
      {"name":"w","collection":"things","events":["insert"],"url":"https://example.org/","enabled":false}]})");
  EXPECT_EQ(summary(done), "0 1 0");
  EXPECT_TRUE(view("w").enabled);
  EXPECT_TRUE(view("w").secret.configured);
  EXPECT_EQ(view("w").collection, "things");
  EXPECT_EQ(view("w").url, "https://example.org/");
}

TEST_F(WebhooksTest, AnImportTakesThePermission) {
  const Text document = R"({"formatVersion":1,"webhooks":[
      {"name":"w","collection":"things","events":["insert"],"url":"https://example.org/"}]})";
  EXPECT_EQ(codeOf(import(shop_, document, callerWith({"config:manage", "webhooks:read"}))), "FORBIDDEN");
  EXPECT_EQ(codeOf(import(shop_, document, callerWith({"config:manage", "webhooks:manage"}))), "");
  EXPECT_EQ(codeOf(import(shop_, document, callerWith({"config:manage"}))), "");
}

// ---- ids and signatures

TEST(StableId, FollowsFromWhatItStandsFor) {
  const Timestamp at{1'800'000'000'000};
  const std::string id = stableId("evt_", at, 5, "proj_a");
  EXPECT_EQ(id.size(), 24u);
  EXPECT_EQ(id, stableId("evt_", at, 5, "proj_a"));
  EXPECT_NE(id, stableId("evt_", at, 6, "proj_a"));
  EXPECT_NE(id, stableId("evt_", at, 5, "proj_b"));
  EXPECT_NE(id.substr(4), stableId("dlv_", at, 5, "proj_a").substr(4));
  EXPECT_LT(id, stableId("evt_", {at.ms + 1}, 5, "proj_a"));
  EXPECT_TRUE(std::ranges::all_of(id.substr(4), [](char c) { return std::isalnum(static_cast<unsigned char>(c)); }));
}

std::string valueOf(const std::vector<outbound::Header>& headers, std::string_view name) {
  for (const auto& header : headers) {
    if (header.name == name) return header.value;
  }
  return "";
}

// The expected values come from Python's hmac.
TEST(Signature, SignsAsBothSay) {
  initCrypto();
  const Secret secret("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
  const auto headers = signatureHeaders(secret, "evt_1", {1'800'000'000'123}, R"({"a":"é"})");
  ASSERT_TRUE(headers);
  EXPECT_EQ(valueOf(*headers, "X-Service-Signature"),
            "t=1800000000123,v1=d40c255ad71e2439abd4f0de7bd77d1a40c47f108d4d5adc3fac3e7ebaf8469f");
  EXPECT_EQ(valueOf(*headers, "webhook-id"), "evt_1");
  EXPECT_EQ(valueOf(*headers, "webhook-timestamp"), "1800000000");
  EXPECT_EQ(valueOf(*headers, "webhook-signature"), "v1,dqQVON2NkGekjI4hkCK+9HwGzpGfU0/bNLtfzZW0rOM=");
}

TEST(Signature, NeedsASecretOfItsForm) {
  for (const char* text : {"", "whsec_", "whsec_***", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="}) {
    const auto headers = signatureHeaders(Secret(text), "evt_1", {1}, "{}");
    EXPECT_EQ(headers.has_value(), std::string_view(text) == "whsec_") << text;
  }
  initCrypto();
  EXPECT_NE(newSecret(), newSecret());
  EXPECT_EQ(fromBase64(std::string_view(newSecret()).substr(6))->size(), 32u);
}

TEST(Health, OneUntilTheReceiverAnswersAndFourThen) {
  Health health;
  EXPECT_EQ(health.limitOf(1, "a"), 1);
  {
    Health::Run run(health, 1, "a");
    run.ended(true);
  }
  EXPECT_EQ(health.limitOf(1, "a"), 4);
  EXPECT_EQ(health.limitOf(1, "b"), 1);
  {
    Health::Run run(health, 1, "a");
    run.ended(false);
  }
  EXPECT_EQ(health.limitOf(1, "a"), 1);
}

TEST(Health, ThoseInDoubtHoldHalfOfThePlacesAtMost) {
  Health health;
  {
    Health::Run run(health, 1, "good");
    run.ended(true);
  }
  std::vector<std::unique_ptr<Health::Run>> runs;
  for (int i = 0; i < Health::kPlacesOfProject / 2; ++i) {
    EXPECT_EQ(health.limitOf(1, "doubtful"), 1);
    runs.push_back(std::make_unique<Health::Run>(health, 1, std::to_string(i)));
  }
  EXPECT_EQ(health.limitOf(1, "doubtful"), 0);
  EXPECT_EQ(health.limitOf(1, "good"), 4);
  EXPECT_EQ(health.limitOf(2, "doubtful"), 1);
  for (int i = Health::kPlacesOfProject / 2; i < Health::kPlaces / 2; ++i) {
    runs.push_back(std::make_unique<Health::Run>(health, static_cast<store::ProjectNo>(10 + i), std::to_string(i)));
  }
  EXPECT_EQ(health.limitOf(2, "doubtful"), 0);
  runs.clear();
  EXPECT_EQ(health.limitOf(1, "doubtful"), 1);
  EXPECT_EQ(health.limitOf(2, "doubtful"), 1);
}

}  // namespace
}  // namespace mb::webhooks
