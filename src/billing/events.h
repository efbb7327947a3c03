// Events of the payment provider: verified, applied once, in the order of the subscription. An event only says what
// changed: the subscription is fetched from the provider, which is the truth.
#pragma once

#include "billing/accounts.h"
#include "billing/plan_mails.h"
#include "billing/provider.h"
#include "jobs/jobs.h"

namespace mb::billing {

inline constexpr int64_t kSignatureToleranceSeconds = 300;
// The job that compares the subscriptions; there is one.
inline constexpr std::string_view kComparison = "billing.compare";

// Whether `header` ("t=<unix seconds>,v1=<hex>", several v1) signs `body` with the secret, at most
// kSignatureToleranceSeconds from `now`: HMAC-SHA256 of "<t>.<body>", compared in constant time.
bool isSignedBy(std::string_view header, std::string_view body, const Secret& secret, Timestamp now);

struct EventsDeps {
  store::DocumentStore& store;
  Accounts& accounts;
  Provider& provider;
  jobs::Queue& queue;
  const Clock& clock;
  audit::Auditor& auditor;
  const BillingSettings& settings;
  PlanMails& mails;
};

// Any core.
class Events {
 public:
  // Declares the kinds of jobs: the daily comparison.
  explicit Events(EventsDeps deps);
  // Makes sure that the comparison is scheduled. After the queue's start.
  Task<> start();

  // Takes an event as it was received. True if it was applied; false if its type is not handled, it was applied before,
  // it is older than what was applied, its subscription is not the one that decides for the account, or its customer is
  // unknown (then it is kept, and applied when the user is known). Fails with validation: the signature, the body, no
  // webhook secret; with the provider's errors and unavailable, where the event has to be sent again. Of a failure
  // nothing is recorded.
  Task<bool> take(std::string signature, std::string body, store::Deadline deadline);

  // Compares all subscriptions of the provider with the accounts, and repairs those that differ. After a grant only a
  // subscription whose state at the provider changed since is repaired. One that the provider no longer has becomes
  // canceled. Removes the records of events older than kEventDays.
  Task<> compare(store::Deadline deadline);

 private:
  Task<> runComparison(jobs::JobRun run);

  const EventsDeps deps_;
};

}  // namespace mb::billing
