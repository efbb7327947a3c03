// Sessions at the payment provider, where a user subscribes to a plan and manages the subscription.
#pragma once

#include "billing/accounts.h"
#include "billing/provider.h"
#include "policy/caller.h"

namespace mb::billing {

// Two checkouts of a user for a plan that begin in the same window of this length give the same session.
inline constexpr int64_t kCheckoutWindowMs = 60'000;
// The page to which the provider sends the client back, below the base URL.
inline constexpr std::string_view kBillingPage = "/dashboard/account/billing";

// References outlive it.
struct CheckoutDeps {
  Accounts& accounts;
  Provider& provider;
  store::DocumentStore& store;
  const Clock& clock;
  std::string baseUrl;  // without a slash at its end
};

// Each call returns the URL of a session, and fails with the provider's errors. `by` is a platform user. Any core.
class Checkout {
 public:
  explicit Checkout(CheckoutDeps deps) : deps_(std::move(deps)) {}

  // Fails with validation (an unknown plan, or free), conflict (the user has a subscription that counts).
  Task<std::string> checkout(policy::Caller by, std::string plan, store::Deadline deadline);
  // Fails with conflict without a customer at the provider, and while a grant is in force.
  Task<std::string> portal(policy::Caller by, store::Deadline deadline);

 private:
  // The same for all checkouts of the user for the plan in one window.
  std::string keyOf(const std::string& user, const std::string& plan) const;

  const CheckoutDeps deps_;
};

// Whether the subscription counts, and has not ended at a time that was set for it.
bool isRunning(const Subscription& subscription, Timestamp now);

}  // namespace mb::billing
