// Events in any order, repeated and dropped: what is left is what the provider has.
#include <algorithm>
#include <random>

#include "billing/provider_fixture.h"

namespace mb::billing {
namespace {

constexpr int kSubscriptions = 40;
constexpr int kChangesOfEach = 40;
constexpr int kDeliveries = 4000;

class RandomEventsTest : public ProviderFixture {
 protected:
  RandomEventsTest() : ProviderFixture(false) {}

  // A change at the provider, and the event that it causes.
  struct SoldChange {
    int subscription = 0;
    int64_t at = 0;
    Sold sold;
  };
  static std::string named(std::string_view prefix, int number) { return fmt::format("{}_{:03}", prefix, number); }

  std::vector<SoldChange> changes(std::mt19937& random) {
    std::vector<SoldChange> all;
    for (int i = 0; i < kSubscriptions; ++i) {
      for (int j = 0; j < kChangesOfEach; ++j) {
        Sold sold{.customer = named("cus", i), .userId = named("user", i)};
        // Some subscriptions are found by their customer, once a session has named the user.
        if (i % 3 == 0) sold.userId.clear();
        const bool ends = j + 1 == kChangesOfEach && random() % 2 == 0;
        constexpr std::array<const char*, 4> kStatuses = {"active", "trialing", "past_due", "unpaid"};
        sold.status = ends ? "canceled" : kStatuses[random() % kStatuses.size()];
        sold.plan = random() % 2 == 0 ? "pro" : "scale";
        sold.cancels = random() % 2 == 0;
        // Several in one second.
        all.push_back({i, kNow + static_cast<int64_t>(random() % 1000), std::move(sold)});
      }
    }
    std::ranges::sort(all, {}, [](const SoldChange& each) { return std::pair(each.at, each.subscription); });
    return all;
  }
};

TEST_F(RandomEventsTest, EndInTheStateOfTheProvider) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int i = 0; i < kSubscriptions; ++i) user(named("user", i));
  const std::vector<SoldChange> all = changes(random);
  // When each delivery arrives: up to half of all changes later than its cause. One of ten events never arrives.
  std::vector<std::pair<size_t, size_t>> deliveries;
  while (deliveries.size() < kDeliveries) {
    const size_t event = random() % all.size();
    if (event % 10 == 7) continue;
    deliveries.emplace_back(event + random() % (all.size() / 2), event);
  }
  std::ranges::sort(deliveries);
  size_t happened = 0;
  const auto happen = [&](size_t upTo) {
    for (; happened < std::min(upTo + 1, all.size()); ++happened) {
      payments_.sell(named("sub", all[happened].subscription), all[happened].sold);
    }
  };
  size_t applied = 0;
  for (const auto& [arrives, event] : deliveries) {
    happen(arrives);
    const SoldChange& change = all[event];
    const std::string id = fmt::format("evt_{}", event);
    const std::string subscription = named("sub", change.subscription);
    // Every session's event is a cause like the others; of those without metadata it names the user.
    const std::string body = event % 5 == 0 ? checkoutEvent(id, subscription, change.sold.customer,
                                                            named("user", change.subscription), change.at)
                                            : subscriptionEvent(id, subscription, change.sold, change.at);
    const auto taken = takeBody(body);
    ASSERT_TRUE(taken) << taken.error().message();
    applied += *taken ? 1 : 0;
  }
  happen(all.size());
  // A session's event is never lost for all of a subscription's: else its user stays unknown.
  for (int i = 0; i < kSubscriptions; i += 3) {
    const std::string body =
        checkoutEvent(named("evt_session", i), named("sub", i), named("cus", i), named("user", i), kNow - 1);
    ASSERT_TRUE(takeBody(body));
  }
  EXPECT_GT(applied, static_cast<size_t>(kSubscriptions));
  const auto done = run(events_.compare(soon()));
  ASSERT_TRUE(done) << done.error().message();
  for (int i = 0; i < kSubscriptions; ++i) {
    const Sold sold = payments_.sold(named("sub", i));
    EXPECT_EQ(subscriptionOfUser(named("user", i)), sold.status + " " + sold.plan) << i;
    const auto stored = account(named("user", i)).subscription;
    ASSERT_TRUE(stored) << i;
    EXPECT_EQ(stored->cancelAtPeriodEnd, sold.cancels) << i;
    EXPECT_EQ(account(named("user", i)).customer, named("cus", i));
  }
  for (const EventRecord& record : eventRecords()) EXPECT_TRUE(record.applied) << record.id;
}

}  // namespace
}  // namespace mb::billing
