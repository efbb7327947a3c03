#include "webhooks/webhooks_fixture.h"

namespace mb::webhooks {
namespace {

using namespace std::chrono_literals;

class DeliveryTest : public WebhooksFixture {
 protected:
  doc::Document bodyOf(size_t i) { return json(receivers_.sent().at(i).body); }
  bool sent(size_t count) {
    return until([&] { return receivers_.sent().size() >= count; }) && receivers_.sent().size() == count;
  }
  bool logged(const std::string& name, size_t count) {
    return until([&] { return log(name).size() >= count; }) && log(name).size() == count;
  }
  const store::CollectionInfo orders_ = collection("orders");
};

TEST_F(DeliveryTest, AChangeIsSentAndLoggedAndItsJobGone) {
  create(hook("w"));
  put(orders_, "a", R"({"n":1})");
  ASSERT_TRUE(logged("w", 1));
  const outbound::Request request = receivers_.sent().at(0);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.trust, outbound::Trust::guarded);
  EXPECT_EQ(request.maxRedirects, 0);
  EXPECT_EQ(request.timeout, 10s);
  const doc::Document body = bodyOf(0);
  EXPECT_EQ(body.view().stringOr("event"), "insert");
  EXPECT_EQ(body.view().stringOr("project"), snapshot(shop_)->info().id.str());
  EXPECT_EQ(doc::toJson(body.view().find("document")->asDocument()), R"({"id":"a","n":1})");
  const DeliveryView entry = log("w").front();
  EXPECT_EQ(entry.status, "delivered");
  EXPECT_EQ(entry.attempts, 1);
  EXPECT_EQ(entry.responseStatus, 200);
  EXPECT_EQ(entry.documentId.value, "a");
  EXPECT_TRUE(until([&] { return jobs() == 0; }));
}

TEST_F(DeliveryTest, ThreeAttemptsThenOneEntryOfFailure) {
  create(hook("w"));
  receivers_.answer(std::string(kUrl), {500, -1, 0});
  put(orders_, "a", "{}");
  ASSERT_TRUE(sent(1));
  pass(900ms);
  std::this_thread::sleep_for(20ms);
  EXPECT_TRUE(sent(1));
  ASSERT_TRUE(until([&] {
    pass(200ms);
    return receivers_.sent().size() == 2;
  }));
  EXPECT_TRUE(log("w").empty());
  ASSERT_TRUE(until([&] {
    pass(5s);
    return receivers_.sent().size() == 3;
  }));
  ASSERT_TRUE(logged("w", 1));
  const DeliveryView entry = log("w").front();
  EXPECT_EQ(entry.status, "failed");
  EXPECT_EQ(entry.attempts, 3);
  EXPECT_EQ(entry.error, "request failed");
  EXPECT_FALSE(entry.responseStatus);
  EXPECT_TRUE(until([&] { return jobs() == 0; }));
  EXPECT_EQ(receivers_.sent()[0].body, receivers_.sent()[2].body);
}

TEST_F(DeliveryTest, TheLogSaysHowItEnded) {
  struct Case {
    int answer;
    std::string status;
    std::optional<int64_t> responseStatus;
    std::optional<std::string> error;
  };
  const std::vector<Case> cases = {{200, "delivered", 200, {}},
                                   {204, "delivered", 204, {}},
                                   {299, "delivered", 299, {}},
                                   {199, "failed", 199, "request failed"},
                                   {302, "failed", 302, "request failed"},
                                   {410, "failed", 410, "request failed"},
                                   {0, "failed", {}, "request failed"},
                                   {-1, "failed", {}, "request timed out"}};
  create(hook("w"));
  for (const Case& each : cases) {
    receivers_.answer(std::string(kUrl), {each.answer});
    const auto told = run(webhooks_.test(access(), "w"));
    ASSERT_TRUE(told);
    EXPECT_EQ(told->status, each.status) << each.answer;
    EXPECT_EQ(told->responseStatus, each.responseStatus) << each.answer;
    EXPECT_EQ(told->error, each.error) << each.answer;
  }
  EXPECT_EQ(log("w").size(), cases.size());
}

TEST_F(DeliveryTest, WhatWaitsIsDroppedWhenItsWebhookIsGoneOrDisabled) {
  for (const char* name : {"gone", "off", "again"}) {
    NewWebhook made = hook(name);
    made.url = fmt::format("https://example.com/{}", name);
    receivers_.answer(made.url, {500});
    create(std::move(made));
  }
  put(orders_, "a", "{}");
  ASSERT_TRUE(sent(3));
  ASSERT_TRUE(run(webhooks_.remove(access(), "gone")));
  WebhookPatch off;
  off.enabled = false;
  WebhookPatch on;
  on.enabled = true;
  ASSERT_TRUE(change("off", off));
  ASSERT_TRUE(change("again", off));
  ASSERT_TRUE(change("again", on));
  EXPECT_TRUE(until([&] {
    pass(10s);
    return jobs() == 0;
  }));
  EXPECT_TRUE(sent(3));
  EXPECT_TRUE(log("off").empty());
  EXPECT_TRUE(log("again").empty());
  EXPECT_TRUE(memory_.all({shop_, kDeliveries, 0}).empty());
}

TEST_F(DeliveryTest, AStoreThatFailsForAWhileDelaysAndLosesNothing) {
  create(hook("w"));
  store_.stopAfter(0);
  put(orders_, "a", "{}");
  std::this_thread::sleep_for(50ms);
  EXPECT_TRUE(log("w").empty());
  store_.stopAfter(1);  // the job is created, but the end of the delivery cannot be written
  ASSERT_TRUE(until([&] { return receivers_.sent().size() == 1; }));
  std::this_thread::sleep_for(20ms);
  store_.stopAfter(-1);
  ASSERT_TRUE(until([&] {
    pass(10s);
    return log("w").size() == 1;
  }));
  EXPECT_TRUE(until([&] { return jobs() == 0; }));
  const auto all = receivers_.sent();
  for (const auto& each : all) EXPECT_EQ(each.body, all[0].body);
  EXPECT_EQ(log("w").size(), 1u);
}

TEST_F(DeliveryTest, FieldsNarrowAtOnceEvenForWhatWaits) {
  create(hook("w"));
  receivers_.answer(std::string(kUrl), {500, 200});
  put(orders_, "a", R"({"n":1,"secret":"s"})");
  ASSERT_TRUE(sent(1));
  WebhookPatch narrow;
  narrow.fields = {doc::Patch<std::vector<std::string>>::State::value, {"n"}};
  ASSERT_TRUE(change("w", std::move(narrow)));
  ASSERT_TRUE(until([&] {
    pass(1s);
    return receivers_.sent().size() == 2;
  }));
  EXPECT_EQ(doc::toJson(bodyOf(1).view().find("document")->asDocument()), R"({"n":1})");
  EXPECT_EQ(bodyOf(0).view().stringOr("id"), bodyOf(1).view().stringOr("id"));
}

TEST_F(DeliveryTest, TheLogHoldsFiftyOfEach) {
  create(hook("w"));
  create(hook("other", "things"));
  for (int i = 0; i < 120; ++i) put(orders_, fmt::format("d{:03}", i), "{}");
  ASSERT_TRUE(until([&] { return receivers_.sent().size() >= 120 && jobs() == 0; }));
  EXPECT_EQ(log("w").size(), 50u);
  EXPECT_TRUE(log("other").empty());
  // The counter, and its ring.
  EXPECT_EQ(memory_.all({shop_, kDeliveries, 0}).size(), 51u);
  EXPECT_EQ(memory_.all({shop_, kSentEvents, 0}).size(), 50u);
  std::set<std::string> ids;
  for (const DeliveryView& entry : log("w")) ids.insert(entry.id);
  EXPECT_EQ(ids.size(), 50u);
  ASSERT_TRUE(run(webhooks_.remove(access(), "w")));
  EXPECT_TRUE(memory_.all({shop_, kDeliveries, 0}).empty());
  EXPECT_TRUE(memory_.all({shop_, kSentEvents, 0}).empty());
}

TEST_F(DeliveryTest, PastTheBoundTheOldestAreGivenUp) {
  create(hook("w"));
  receivers_.answer(std::string(kUrl), {500});
  put(orders_, "first", "{}");
  ASSERT_TRUE(sent(1));
  // Documents of 900 KB: 64 MiB hold 74 of them.
  const std::string large = fmt::format(R"({{"text":"{}"}})", std::string(900'000, 'x'));
  for (int i = 0; i < 80; ++i) put(orders_, fmt::format("d{:02}", i), large);
  ASSERT_TRUE(until([&] { return !log("w").empty(); }));
  const auto load = [&] {
    const std::string hookId(memory_.all({shop_, kWebhooks, 0}).at(0).view().stringOr("hookId"));
    return *run(queue_.load(std::string(kJobKind), shop_, hookId));
  };
  ASSERT_TRUE(until([&] { return load().jobs + log("w").size() == 81 && load().bytes <= kMaxWaitingBytes; }));
  const std::vector<DeliveryView> given = log("w");
  EXPECT_LE(given.size(), 10u);
  for (const DeliveryView& entry : given) {
    EXPECT_EQ(entry.status, "failed");
    EXPECT_EQ(entry.error, "request failed");
  }
}

TEST_F(DeliveryTest, ADroppedCollectionsLastChangesAreStillTold) {
  create(hook("w"));
  receivers_.answer(std::string(kUrl), {500, 200});
  put(orders_, "a", "{}");
  ASSERT_TRUE(sent(1));
  const policy::Caller caller = admin();
  ASSERT_TRUE(run(data_->collections().drop({caller, snapshot(shop_)}, "orders")));
  ASSERT_TRUE(until([&] {
    pass(1s);
    return receivers_.sent().size() == 2;
  }));
  EXPECT_TRUE(logged("w", 1));
}

}  // namespace
}  // namespace mb::webhooks
