// The payment provider, by Stripe's HTTP interface (docs.stripe.com/api, version kApiVersion): form-encoded requests,
// JSON responses. Failures are upstreamFailed or upstreamTimeout, without the provider's text; a cause without secrets
// is logged.
#pragma once

#include <map>
#include <mutex>

#include "base/clock.h"
#include "billing/settings.h"
#include "document/bson.h"
#include "outbound/outbound.h"

namespace mb::billing {

inline constexpr std::string_view kApiVersion = "2024-06-20";

struct CheckoutRequest {
  std::string userId;
  std::string email;
  std::optional<std::string> customer;  // the provider's id, of a user who has one
  std::string plan;                     // the slug, the price's lookup_key
  std::string successUrl;
  std::string cancelUrl;
};

// A subscription as the provider has it.
struct RemoteSubscription {
  std::string id;
  std::string customer;
  std::string status;
  std::string plan;    // the price's lookup_key, else metadata[plan]
  std::string userId;  // metadata[userId]; may be empty
  std::optional<Timestamp> currentPeriodEnd;
  bool cancelAtPeriodEnd = false;
  Timestamp created;
};

// Any core.
class Provider {
 public:
  Provider(outbound::Outbound& outbound, const Clock& clock, const BillingSettings& settings)
      : outbound_(outbound), clock_(clock), settings_(settings) {}

  // The URL of a checkout session. `idempotencyKey` makes a repeated request give the same session.
  Task<std::string> checkout(CheckoutRequest request, std::string idempotencyKey);
  // The URL of a portal session of the customer.
  Task<std::string> portal(std::string customer, std::string returnUrl, std::string idempotencyKey);
  // nullopt where the provider has no such subscription.
  Task<std::optional<RemoteSubscription>> subscription(std::string id);
  // A page of all subscriptions, canceled ones included, in the provider's order; `after` is the last id of the page
  // before, "" for the first.
  struct Page {
    std::vector<RemoteSubscription> subscriptions;
    bool more = false;
  };
  Task<Page> subscriptions(std::string after);

 private:
  struct Price {
    std::string id;
    std::chrono::steady_clock::time_point until;
  };
  // The id of the price with the lookup_key `plan`; kept for an hour. Fails with upstreamFailed where there is none.
  Task<std::string> priceOf(std::string plan);
  Task<doc::Document> call(std::string method, std::string path, std::string form, std::string idempotencyKey);

  outbound::Outbound& outbound_;
  const Clock& clock_;
  const BillingSettings& settings_;
  std::mutex mutex_;
  std::map<std::string, Price> prices_;  // by plan; at most one for each plan of the catalogue
};

// Of a JSON object of the provider. Fails with validation where it is not one.
Result<RemoteSubscription> subscriptionOf(doc::DocumentView object);

}  // namespace mb::billing
