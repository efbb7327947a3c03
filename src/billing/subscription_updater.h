// Brings the subscription of an account to what the payment provider has. Private to billing/.
#pragma once

#include "billing/event_log.h"
#include "billing/events.h"

namespace mb::billing {

struct SubscriptionUpdate {
  std::string userId;
  std::string subscription;                 // whose state may have changed
  std::optional<ProviderEvent> event = {};  // its cause; nullopt for the comparison
  store::Deadline deadline;
};

// The state is fetched after the account was read, and stored only where the account is still the same then. So of two
// updates the one that is stored last also has the later state, in whichever order their events arrive.
class SubscriptionUpdater {
 public:
  explicit SubscriptionUpdater(const EventsDeps& deps) : deps_(deps), log_(deps.store, deps.clock) {}

  // True if the account was changed. False, and an event is recorded as taken, if
  // - the event was applied before, or is older than the last one that was applied to this subscription,
  // - the account has another subscription that comes first (isBetter), or the subscription is of no plan of this
  //   deployment,
  // - without an event: nothing differs, or a grant is in force and the provider has changed nothing since.
  // Fails with the provider's errors; unavailable if other changes of the account came first several times.
  Task<bool> update(SubscriptionUpdate update);

  EventLog& log() { return log_; }

 private:
  struct Next {
    Subscription subscription;
    std::string customer;
    Timestamp dated;  // RemoteSubscription::dated
  };
  Task<bool> updateOnce(SubscriptionUpdate update);
  // nullopt if the account keeps what it has.
  Task<std::optional<Next>> nextOf(std::optional<AccountRecord> account, std::string subscription);
  Task<bool> commit(SubscriptionUpdate update, std::optional<AccountRecord> account, Next next, bool known);
  // Records the event of an update that changes no account.
  Task<bool> skip(SubscriptionUpdate update);
  std::vector<store::Insert> auditEntry(const SubscriptionUpdate& update, const Subscription& next) const;

  const EventsDeps& deps_;
  EventLog log_;
};

// The state as it is stored, applied at no time.
Subscription stateOf(const RemoteSubscription& remote);
// Whether both show the same state at the provider.
bool isSameState(const Subscription& a, const Subscription& b);
// Of two subscriptions of one user: one that counts comes first, then the later one.
bool isBetter(const RemoteSubscription& a, const RemoteSubscription& b, const Catalogue& catalogue);

}  // namespace mb::billing
