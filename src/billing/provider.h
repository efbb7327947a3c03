// The payment provider, by Stripe's HTTP interface (docs.stripe.com/api, version kApiVersion): form-encoded requests,
// JSON responses. Failures are upstreamFailed or upstreamTimeout (unavailable where this server has too many calls),
// without the provider's text; the cause, which is logged, names the call and the provider's error type and code alone.
#pragma once

#include <map>
#include <mutex>

#include "base/clock.h"
#include "billing/settings.h"
#include "document/bson.h"
#include "outbound/outbound.h"

namespace mb::billing {

inline constexpr std::string_view kApiVersion = "2024-06-20";
// Prices are found by their lookup_key, and kept for an hour.
inline constexpr int64_t kPriceMs = 3'600'000;
inline constexpr size_t kMaxPrices = 64;
// Subscriptions in a page.
inline constexpr int kProviderPage = 100;

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
  std::string plan;    // the price's lookup_key, else metadata[plan]; may be empty
  std::string userId;  // metadata[userId]; may be empty
  std::optional<Timestamp> currentPeriodEnd;
  bool cancelAtPeriodEnd = false;
  Timestamp created;
  // The latest time that the provider notes of it: its start, the start of its period, its cancellation, its end. Other
  // changes, such as of the plan, leave no time.
  Timestamp dated;
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
    Timestamp foundAt;
  };
  struct Call {
    std::string method;
    std::string path;  // with its query
    std::string form = {};
    std::string idempotencyKey = {};
  };
  struct Reply {
    int status = 0;
    doc::Document body;  // empty where the status is an error and the body not JSON
    std::string requestId;
    bool ok() const { return status >= 200 && status < 300; }
  };

  // The id of the price with the lookup_key `plan`; kept for an hour. Fails with upstreamFailed for a plan without a
  // price.
  Task<std::string> priceOf(std::string plan);
  std::optional<std::string> keptPrice(const std::string& plan);
  void keepPrice(const std::string& plan, std::string id);
  void forgetPrice(const std::string& plan);
  // Any status below 500 is a reply. Waits where another call with the same key is in progress.
  Task<Reply> send(Call call);
  Task<Reply> sendOnce(Call call, std::chrono::milliseconds timeout);
  // The body of a reply that is a success; else fails.
  Task<doc::Document> succeed(Call call);
  static Error failure(const Call& call, const Reply& reply);

  outbound::Outbound& outbound_;
  const Clock& clock_;
  const BillingSettings& settings_;
  std::mutex mutex_;
  std::map<std::string, Price> prices_;  // by plan; at most kMaxPrices
};

// Of a JSON object of the provider. Fails with validation where it is not a subscription.
Result<RemoteSubscription> subscriptionOf(doc::DocumentView object);

// Whether `text` has the form of an id of the provider, which is safe in a path: letters, digits, "_" and "-", at most
// 255.
bool isProviderId(std::string_view text);
// The id of a reference: a string, or an object with an `id` (expanded); "" for anything else.
std::string_view referenceOf(doc::DocumentView object, std::string_view field);
// A time in seconds; nullopt where the field is absent, or no time before the year 10000.
std::optional<Timestamp> secondsOf(doc::DocumentView object, std::string_view field);

}  // namespace mb::billing
