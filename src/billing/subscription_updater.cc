#include "billing/subscription_updater.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "store/retry.h"

namespace mb::billing {

namespace {

constexpr int kAttempts = 5;
constexpr std::string_view kCanceled = "canceled";
constexpr int64_t kOrderToleranceMs = kSignatureToleranceSeconds * 1000;

bool isSame(const std::optional<Subscription>& a, const std::optional<Subscription>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return doc::encode(*a) == doc::encode(*b);
}

std::optional<Timestamp> grantedAt(const std::optional<AccountRecord>& account) {
  return account && account->grant ? std::optional(account->grant->at) : std::nullopt;
}

std::optional<Subscription> subscriptionOf(const std::optional<AccountRecord>& account) {
  return account ? account->subscription : std::nullopt;
}

bool isGrantInForce(const std::optional<AccountRecord>& account) {
  const auto at = grantedAt(account);
  return at && (!account->subscription || account->subscription->appliedAt < *at);
}

// Whether the provider has changed the subscription since a grant. A change of the plan, and a payment that failed,
// leave no time at the provider: they count where the state was known before.
bool changedSince(Timestamp grant, const std::optional<Subscription>& known, const Subscription& next,
                  Timestamp dated) {
  if (dated > grant) return true;
  if (!known || known->id != next.id) return false;
  return known->plan != next.plan || (known->status != next.status && next.status != kCanceled);
}

bool entitles(const RemoteSubscription& remote, const Catalogue& catalogue) {
  return stateOf(remote).counts() && catalogue.find(remote.plan) != nullptr;
}

}  // namespace

Subscription stateOf(const RemoteSubscription& remote) {
  return {.id = remote.id,
          .status = remote.status,
          .plan = remote.plan,
          .currentPeriodEnd = {remote.currentPeriodEnd},
          .cancelAtPeriodEnd = remote.cancelAtPeriodEnd,
          .changedAt = remote.created,
          .appliedAt = {}};
}

bool isSameState(const Subscription& a, const Subscription& b) {
  return std::tie(a.id, a.status, a.plan, a.currentPeriodEnd.value, a.cancelAtPeriodEnd) ==
         std::tie(b.id, b.status, b.plan, b.currentPeriodEnd.value, b.cancelAtPeriodEnd);
}

bool isBetter(const RemoteSubscription& a, const RemoteSubscription& b, const Catalogue& catalogue) {
  return std::tuple(entitles(a, catalogue), a.created, std::string_view(a.id)) >
         std::tuple(entitles(b, catalogue), b.created, std::string_view(b.id));
}

Task<bool> SubscriptionUpdater::update(SubscriptionUpdate update) {
  co_return co_await store::retryWrite(
      kAttempts, Error(ErrorCode::unavailable, "the account is changed by other events: send the event again"),
      [&] { return updateOnce(update); });
}

Task<bool> SubscriptionUpdater::updateOnce(SubscriptionUpdate update) {
  bool known = false;
  if (update.event) {
    CO_TRY(const std::optional<EventRecord> taken, co_await log_.find(update.event->id));
    if (taken && taken->applied) co_return false;
    known = taken.has_value();
  }
  CO_TRY(const std::optional<AccountRecord> account, co_await deps_.accounts.find(update.userId));
  const std::optional<Subscription> stored = subscriptionOf(account);
  const bool isCurrent = stored && stored->id == update.subscription;
  if (update.event && isCurrent && update.event->created < stored->changedAt) {
    co_return co_await skip(std::move(update));
  }
  CO_TRY(std::optional<Next> next, co_await nextOf(account, update.subscription));
  if (!next) co_return co_await skip(std::move(update));
  if (!update.event) {
    const bool differs = !stored || !isSameState(*stored, next->subscription) || account->customer != next->customer;
    if (!differs) co_return false;
    const bool isLate =
        isGrantInForce(account) && !changedSince(account->grant->at, stored, next->subscription, next->dated);
    if (isLate) co_return false;
  }
  co_return co_await commit(std::move(update), account, *std::move(next), known);
}

Task<std::optional<SubscriptionUpdater::Next>> SubscriptionUpdater::nextOf(std::optional<AccountRecord> account,
                                                                           std::string subscription) {
  const std::optional<Subscription> stored = subscriptionOf(account);
  const bool isCurrent = stored && stored->id == subscription;
  CO_TRY(const std::optional<RemoteSubscription> remote, co_await deps_.provider.subscription(subscription));
  if (!remote) {
    if (!isCurrent) co_return std::nullopt;
    Next ended{*stored, account->customer.value_or(""), {}};
    ended.subscription.status = kCanceled;
    co_return ended;
  }
  if (!isCurrent) {
    CO_TRY(const Catalogue catalogue, co_await readCatalogue(deps_.store));
    // The provider's account may sell other products too.
    if (!catalogue.find(remote->plan)) co_return std::nullopt;
    if (stored) {
      CO_TRY(const std::optional<RemoteSubscription> present, co_await deps_.provider.subscription(stored->id));
      if (present && isBetter(*present, *remote, catalogue)) co_return std::nullopt;
    }
  }
  co_return Next{stateOf(*remote), remote->customer, remote->dated};
}

Task<bool> SubscriptionUpdater::commit(SubscriptionUpdate update, std::optional<AccountRecord> account, Next next,
                                       bool known) {
  const std::optional<Subscription> stored = subscriptionOf(account);
  const bool isCurrent = stored && stored->id == next.subscription.id;
  const Timestamp now = deps_.clock.now();
  if (isCurrent) next.subscription.changedAt = stored->changedAt;
  if (update.event) {
    // Bounded, so that a wrong time in the future does not make all later events older ones.
    const Timestamp ordered = std::min(update.event->created, Timestamp{now.ms + kOrderToleranceMs});
    next.subscription.changedAt = std::max(next.subscription.changedAt, ordered);
  }
  const std::optional<Timestamp> grant = grantedAt(account);
  // Later than the grant that it overwrites, also where the clock was set back since.
  next.subscription.appliedAt = grant ? std::max(now, Timestamp{grant->ms + 1}) : now;
  const bool isNewCustomer = !account || account->customer != next.customer;
  const bool isVisible =
      isNewCustomer || isGrantInForce(account) || !stored || !isSameState(*stored, next.subscription);

  AccountRecord after = account.value_or(AccountRecord{.id = update.userId});
  after.subscription = next.subscription;
  if (!next.customer.empty()) after.customer = next.customer;
  CO_TRY(std::vector<store::Insert> inserts, co_await deps_.mails.insertsOf(account, std::move(after)));
  std::vector<std::string> mails = store::idsOf(inserts);
  if (isVisible) std::ranges::move(auditEntry(update, next.subscription), std::back_inserter(inserts));
  if (update.event) inserts.push_back(log_.insertOf(*update.event, known));
  auto changed = co_await deps_.accounts.change(update.userId, update.deadline, std::move(inserts),
                                                [stored, grant, next](AccountRecord& current) -> Result<bool> {
                                                  const bool isAsRead = isSame(current.subscription, stored) &&
                                                                        grantedAt(current) == grant;
                                                  if (!isAsRead) return false;
                                                  current.subscription = next.subscription;
                                                  if (!next.customer.empty()) current.customer = next.customer;
                                                  return true;
                                                });
  // The same event came twice at once, or the user was deleted: the next attempt sees that.
  const bool isRetried =
      !changed && (changed.error().code() == ErrorCode::conflict || changed.error().code() == ErrorCode::notFound);
  if (isRetried || (changed && !*changed)) co_return fail(ErrorCode::retry, "the account was changed concurrently");
  if (!changed) co_return fail(std::move(changed).error());
  deps_.mails.wake(std::move(mails));
  if (isNewCustomer || known) {
    // What waited for this user is in the state that was stored. The comparison repeats this where it fails.
    CO_RETURN_IF_ERROR(co_await log_.markApplied(next.customer, update.deadline));
  }
  co_return true;
}

Task<bool> SubscriptionUpdater::skip(SubscriptionUpdate update) {
  if (update.event) CO_RETURN_IF_ERROR(co_await log_.record(*std::move(update.event), true, update.deadline));
  co_return false;
}

std::vector<store::Insert> SubscriptionUpdater::auditEntry(const SubscriptionUpdate& update,
                                                           const Subscription& next) const {
  doc::BsonWriter details;
  details.appendString("subscription", next.id);
  details.appendString("status", next.status);
  details.appendString("plan", next.plan);
  if (update.event) {
    details.appendString("event", update.event->id);
    details.appendString("type", update.event->type);
  } else {
    details.appendString("type", "comparison");
  }
  return deps_.auditor.entry(store::kControlProject, "subscription.changed", {"server", "", std::nullopt},
                             "users/" + update.userId, "", "", details.finish());
}

}  // namespace mb::billing
