#include "billing/events.h"

#include <gmock/gmock.h>

#include "billing/event_log.h"
#include "billing/provider_fixture.h"

namespace mb::billing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class EventsTest : public ProviderFixture {
 protected:
  // "true", "false", or the code of the failure.
  std::string take(const std::string& body) {
    const Result<bool> taken = takeBody(body);
    return taken ? (*taken ? "true" : "false") : codeOf(taken);
  }
  std::string update(const std::string& id, int64_t created, const std::string& subscription = "sub_1",
                     std::string_view type = "updated") {
    return take(subscriptionEvent(id, subscription, payments_.sold(subscription), created, type));
  }
  void sell(Sold sold, const std::string& subscription = "sub_1") {
    if (sold.customer.empty()) sold.customer = "cus_ann";
    payments_.sell(subscription, std::move(sold));
  }
  // Of the events that were recorded: id, and whether it was applied.
  std::string recorded() const {
    std::string out;
    for (const EventRecord& each : eventRecords()) out += each.id + (each.applied ? "+ " : "- ");
    return out;
  }
  const policy::Caller ann_ = user("user_ann");
};

TEST_F(EventsTest, ACheckoutGivesThePlan) {
  sell({});
  EXPECT_EQ(take(checkoutEvent("evt_1", "sub_1", "cus_ann", "user_ann", kNow)), "true");
  EXPECT_EQ(planOf("user_ann"), "subscription pro");
  const AccountRecord account = this->account("user_ann");
  EXPECT_EQ(account.customer, "cus_ann");
  EXPECT_EQ(account.subscription->id, "sub_1");
  EXPECT_EQ(account.subscription->currentPeriodEnd.value->ms, 1'900'000'000'000);
  EXPECT_EQ(recorded(), "evt_1+ ");
}

TEST_F(EventsTest, TheUserIsFoundByTheMetadataAndByTheCustomer) {
  sell({.userId = "user_ann"});
  EXPECT_EQ(update("evt_1", kNow), "true");
  sell({.status = "past_due"});
  EXPECT_EQ(update("evt_2", kNow + 1), "true");
  EXPECT_EQ(subscriptionOfUser("user_ann"), "past_due pro");
  EXPECT_EQ(planOf("user_ann"), "free free");
}

TEST_F(EventsTest, TheFetchedStateCountsAndNotThatOfTheEvent) {
  sell({.userId = "user_ann", .status = "canceled"});
  EXPECT_EQ(update("evt_1", kNow, "sub_1", "created"), "true");
  EXPECT_EQ(subscriptionOfUser("user_ann"), "canceled pro");
}

TEST_F(EventsTest, AnEventIsAppliedOnce) {
  sell({.userId = "user_ann"});
  EXPECT_EQ(update("evt_1", kNow), "true");
  const size_t calls = payments_.requests().size();
  EXPECT_EQ(update("evt_1", kNow), "false");
  EXPECT_EQ(payments_.requests().size(), calls);
  EXPECT_EQ(recorded(), "evt_1+ ");
}

TEST_F(EventsTest, TheSameEventTwiceAtOnceIsAppliedOnce) {
  sell({.userId = "user_ann"});
  const std::string body = subscriptionEvent("evt_1", "sub_1", payments_.sold("sub_1"), kNow);
  std::optional<bool> second;
  payments_.beforeNextSubscription([&] {
    auto taken = store::testing::runOn(cores_, 1, events_.take(sign(body, kWebhookSecret, kNow), body, soon()));
    if (taken) second = *taken;
  });
  EXPECT_EQ(take(body), "false");
  EXPECT_EQ(second, true);
  EXPECT_EQ(auditTexts().size(), 1U);
}

TEST_F(EventsTest, AnOlderEventIsLeftOut) {
  sell({.userId = "user_ann"});
  EXPECT_EQ(update("evt_2", kNow + 10), "true");
  const size_t calls = payments_.requests().size();
  EXPECT_EQ(update("evt_1", kNow + 9), "false");
  EXPECT_EQ(payments_.requests().size(), calls);
  EXPECT_EQ(recorded(), "evt_1+ evt_2+ ");
  // At the same second the state is fetched again.
  sell({.userId = "user_ann", .plan = "scale"});
  EXPECT_EQ(update("evt_3", kNow + 10), "true");
  EXPECT_EQ(subscriptionOfUser("user_ann"), "active scale");
}

// The state that the first event fetched is older than the one that the second stored.
TEST_F(EventsTest, AStateThatWasFetchedBeforeAnotherWasStoredIsFetchedAgain) {
  sell({.userId = "user_ann"});
  EXPECT_EQ(update("evt_1", kNow), "true");
  const std::string late = subscriptionEvent("evt_2", "sub_1", payments_.sold("sub_1"), kNow + 5);
  const std::string other = subscriptionEvent("evt_3", "sub_1", payments_.sold("sub_1"), kNow + 5);
  store_.beforeNextWrite([&] {
    sell({.userId = "user_ann", .status = "canceled"});
    auto taken = store::testing::runOn(cores_, 1, events_.take(sign(other, kWebhookSecret, kNow), other, soon()));
    EXPECT_TRUE(taken && *taken);
  });
  EXPECT_EQ(take(late), "true");
  EXPECT_EQ(subscriptionOfUser("user_ann"), "canceled pro");
}

TEST_F(EventsTest, OtherTypesAreReceivedAndNotApplied) {
  EXPECT_EQ(take(R"({"id":"evt_1","type":"invoice.paid","created":1800000000,"data":{"object":{}}})"), "false");
  EXPECT_EQ(
      take(R"({"id":"evt_2","type":"checkout.session.completed","created":1,"data":{"object":{"mode":"setup"}}})"),
      "false");
  EXPECT_EQ(recorded(), "");
  EXPECT_TRUE(payments_.requests().empty());
}

TEST_F(EventsTest, BadEventsChangeNothing) {
  sell({.userId = "user_ann"});
  const std::string body = subscriptionEvent("evt_1", "sub_1", payments_.sold("sub_1"), kNow);
  const auto refused = [&](const std::string& signature, const std::string& sent) {
    return codeOf(run(events_.take(signature, sent, soon())));
  };
  EXPECT_EQ(refused("", body), "VALIDATION");
  EXPECT_EQ(refused(sign(body, "whsec_old", kNow), body), "VALIDATION");
  EXPECT_EQ(refused(sign(body, kWebhookSecret, kNow - 301), body), "VALIDATION");
  EXPECT_EQ(refused(sign(body, kWebhookSecret, kNow + 301), body), "VALIDATION");
  EXPECT_EQ(refused(sign(body, kWebhookSecret, kNow), body + " "), "VALIDATION");
  const std::string large(10 << 20, ' ');
  EXPECT_EQ(refused(sign(large, kWebhookSecret, kNow), large), "VALIDATION");
  for (const char* other :
       {"", "[]", "1", "\"x\"", "{}", "not json",
        R"({"id":"evt_1","type":"customer.subscription.updated","created":1,"data":{"object":{}}})"}) {
    EXPECT_EQ(take(other), "VALIDATION") << other;
  }
  EXPECT_EQ(recorded(), "");
  EXPECT_EQ(subscriptionOfUser("user_ann"), "none");
  EXPECT_TRUE(payments_.requests().empty());
  settings_.webhookSecret.reset();
  EXPECT_EQ(take(body), "VALIDATION");
}

TEST_F(EventsTest, WithoutTheProviderAnEventHasToBeSentAgain) {
  sell({.userId = "user_ann"});
  payments_.failWith(ErrorCode::upstreamTimeout);
  EXPECT_EQ(update("evt_1", kNow), "UPSTREAM_FAILED");
  payments_.failWith(ErrorCode::unavailable);
  EXPECT_EQ(update("evt_1", kNow), "UNAVAILABLE");
  EXPECT_EQ(recorded(), "");
  payments_.failWith(std::nullopt);
  EXPECT_EQ(update("evt_1", kNow), "true");
}

TEST_F(EventsTest, AnEventOfAnUnknownCustomerIsKeptUntilTheUserIsKnown) {
  sell({});
  EXPECT_EQ(update("evt_1", kNow, "sub_1", "created"), "false");
  EXPECT_EQ(update("evt_1", kNow, "sub_1", "created"), "false");
  EXPECT_EQ(recorded(), "evt_1- ");
  EXPECT_TRUE(payments_.requests().empty());
  EXPECT_EQ(take(checkoutEvent("evt_2", "sub_1", "cus_ann", "user_ann", kNow - 1)), "true");
  EXPECT_EQ(recorded(), "evt_1+ evt_2+ ");
  EXPECT_EQ(planOf("user_ann"), "subscription pro");
}

TEST_F(EventsTest, AKeptEventThatIsSentAgainIsApplied) {
  sell({.userId = "user_bob"});
  EXPECT_EQ(update("evt_1", kNow), "false");
  EXPECT_EQ(recorded(), "evt_1- ");
  user("user_bob");
  EXPECT_EQ(update("evt_1", kNow), "true");
  EXPECT_EQ(recorded(), "evt_1+ ");
  EXPECT_EQ(update("evt_1", kNow), "false");
}

TEST_F(EventsTest, AUserIdThatNoUserHasIsAnUnknownCustomer) {
  sell({});
  for (const char* id : {"user_nobody", "../x", "a b"}) {
    EXPECT_EQ(take(checkoutEvent("evt_1", "sub_1", "cus_ann", id, kNow)), "false") << id;
  }
  EXPECT_EQ(recorded(), "evt_1- ");
}

TEST_F(EventsTest, ALaterEventOverwritesAGrant) {
  sell({.userId = "user_ann"});
  EXPECT_EQ(update("evt_1", kNow), "true");
  clock_.advance(1000);
  grant("user_ann", "scale");
  EXPECT_EQ(planOf("user_ann"), "grant scale");
  // Older events and repeated ones do not.
  EXPECT_EQ(update("evt_1", kNow), "false");
  EXPECT_EQ(update("evt_0", kNow - 5), "false");
  EXPECT_EQ(planOf("user_ann"), "grant scale");
  // Also where the clock was set back since the grant.
  clock_.set((kNow - 60) * 1000);
  EXPECT_EQ(update("evt_2", kNow + 1), "true");
  EXPECT_EQ(planOf("user_ann"), "subscription pro");
}

TEST_F(EventsTest, OfTwoSubscriptionsTheOneThatCountsComesFirst) {
  sell({.userId = "user_ann", .created = kNow - 100});
  EXPECT_EQ(update("evt_1", kNow), "true");
  // A later one takes its place, and keeps it while it counts.
  sell({.userId = "user_ann", .plan = "scale", .created = kNow}, "sub_2");
  EXPECT_EQ(update("evt_2", kNow, "sub_2"), "true");
  EXPECT_EQ(update("evt_3", kNow + 1, "sub_1"), "false");
  EXPECT_EQ(subscriptionOfUser("user_ann"), "active scale");
  // An event of the one that ended long ago changes nothing either.
  sell({.userId = "user_ann", .status = "canceled", .created = kNow - 100});
  EXPECT_EQ(update("evt_4", kNow + 2, "sub_1", "deleted"), "false");
  EXPECT_EQ(subscriptionOfUser("user_ann"), "active scale");
  EXPECT_EQ(recorded(), "evt_1+ evt_2+ evt_3+ evt_4+ ");
}

TEST_F(EventsTest, SubscriptionsOfOtherProductsAreLeftOut) {
  sell({.userId = "user_ann", .plan = "newsletter"});
  EXPECT_EQ(update("evt_1", kNow), "false");
  EXPECT_EQ(subscriptionOfUser("user_ann"), "none");
}

TEST_F(EventsTest, ASubscriptionThatTheProviderNoLongerHasIsCanceled) {
  sell({.userId = "user_ann"});
  EXPECT_EQ(update("evt_1", kNow), "true");
  const std::string body = subscriptionEvent("evt_2", "sub_1", payments_.sold("sub_1"), kNow + 1, "deleted");
  payments_.forget("sub_1");
  EXPECT_EQ(take(body), "true");
  EXPECT_EQ(subscriptionOfUser("user_ann"), "canceled pro");
  EXPECT_EQ(planOf("user_ann"), "free free");
}

TEST_F(EventsTest, ATimeFarInTheFutureDoesNotMakeLaterEventsOlder) {
  sell({.userId = "user_ann"});
  EXPECT_EQ(update("evt_1", kNow + 365 * 86'400), "true");
  sell({.userId = "user_ann", .plan = "scale"});
  clock_.advance((kSignatureToleranceSeconds + 1) * 1000);
  EXPECT_EQ(update("evt_2", kNow + kSignatureToleranceSeconds + 1), "true");
  EXPECT_EQ(subscriptionOfUser("user_ann"), "active scale");
}

TEST_F(EventsTest, EachChangeIsAuditedWithoutSecrets) {
  sell({.userId = "user_ann"});
  EXPECT_EQ(update("evt_1", kNow), "true");
  EXPECT_EQ(update("evt_2", kNow + 1), "true");  // changes nothing that is visible
  sell({.userId = "user_ann", .status = "canceled"});
  EXPECT_EQ(update("evt_3", kNow + 2), "true");
  const auto texts = auditTexts();
  ASSERT_EQ(texts.size(), 2U);
  EXPECT_THAT(texts[0], HasSubstr("\"action\":\"subscription.changed\""));
  EXPECT_THAT(texts[0], HasSubstr("\"target\":\"users/user_ann\""));
  EXPECT_THAT(texts[0], HasSubstr("\"status\":\"active\",\"plan\":\"pro\",\"event\":\"evt_1\""));
  EXPECT_THAT(texts[1], HasSubstr("\"status\":\"canceled\""));
  for (const std::string& text : texts) EXPECT_THAT(text, Not(HasSubstr("secret")));
}

TEST_F(EventsTest, RecordsAreRemovedAfterNinetyDays) {
  sell({.userId = "user_ann"});
  EXPECT_EQ(update("evt_1", kNow), "true");
  clock_.advance(kEventDays * 86'400'000);
  EXPECT_TRUE(run(events_.compare(soon())));
  EXPECT_EQ(recorded(), "evt_1+ ");
  clock_.advance(1);
  EXPECT_TRUE(run(events_.compare(soon())));
  EXPECT_EQ(recorded(), "");
}

}  // namespace
}  // namespace mb::billing
