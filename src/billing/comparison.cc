// The daily comparison of all subscriptions.
#include <algorithm>
#include <functional>

#include "base/log.h"
#include "billing/known_users.h"
#include "billing/subscription_updater.h"
#include "store/record_query.h"
#include "store/records.h"

namespace mb::billing {

namespace {

// Eight bytes of memory for each subscription.
constexpr size_t kMaxSubscriptions = 1'000'000;
constexpr uint64_t kAccountsPage = 200;

uint64_t hashOf(const std::string& id) {
  return std::hash<std::string>()(id);
}

// The accounts with a subscription that has not ended, in pages.
Result<store::Query> openSubscriptions(std::string after) {
  doc::BsonWriter out;
  out.beginDocument("subscription.id");
  out.appendBool("$exists", true);
  out.end();
  out.beginDocument("subscription.status");
  out.appendString("$ne", "canceled");
  out.end();
  TRY(doc::Filter filter, doc::Filter::parse(out.finish()));
  store::Query query =
      store::queryOf({store::kControlProject, kAccounts, 0}, std::move(filter), kAccountsPage, store::readDeadline());
  query.paged = true;
  query.after = std::move(after);
  return query;
}

// One run. References outlive it.
class Comparison {
 public:
  Comparison(const EventsDeps& deps, store::Deadline deadline) : deps_(deps), updater_(deps), deadline_(deadline) {}

  Task<> run() {
    CO_RETURN_IF_ERROR(co_await readAll());
    std::ranges::sort(seen_);
    CO_RETURN_IF_ERROR(co_await endMissing());
    CO_TRY(const uint64_t pruned, co_await updater_.log().prune());
    logInfo("subscriptions were compared with the payment provider",
            {{"subscriptions", seen_.size()}, {"repaired", repaired_}, {"prunedEvents", pruned}});
    co_return Result<>();
  }

 private:
  Result<> checkTime() const {
    if (std::chrono::steady_clock::now() < deadline_) return {};
    return fail(ErrorCode::unavailable, "the comparison of subscriptions exceeded its time limit");
  }
  // Of one read or write.
  store::Deadline stepDeadline() const { return std::min(deadline_, store::readDeadline()); }

  Task<> readAll() {
    std::string after;
    while (true) {
      CO_RETURN_IF_ERROR(checkTime());
      CO_TRY(const Provider::Page page, co_await deps_.provider.subscriptions(after));
      for (const RemoteSubscription& remote : page.subscriptions) {
        if (seen_.size() == kMaxSubscriptions) {
          co_return fail(ErrorCode::internal, "the payment provider has more subscriptions than can be compared");
        }
        seen_.push_back(hashOf(remote.id));
        CO_RETURN_IF_ERROR(co_await reconcile(remote));
      }
      if (!page.more) co_return Result<>();
      after = page.subscriptions.back().id;
    }
  }

  // A listed state may be older than an event that was applied since, so one that differs is fetched again.
  Task<> reconcile(RemoteSubscription remote) {
    CO_TRY(std::optional<std::string> user, co_await userOf(deps_, remote.userId, remote.customer));
    if (!user) co_return Result<>();
    CO_TRY(const std::optional<AccountRecord> account, co_await deps_.accounts.find(*user));
    const Subscription listed = stateOf(remote);
    const bool isKnown = account && account->subscription;
    const bool isCurrent = isKnown && account->subscription->id == listed.id;
    const bool isSame =
        isCurrent && isSameState(*account->subscription, listed) && account->customer == remote.customer;
    // Another one that does not count changes nothing: the account's own is listed too.
    const bool isIdle = isKnown && !isCurrent && !listed.counts();
    if (!isSame && !isIdle) CO_RETURN_IF_ERROR(co_await repair(*std::move(user), remote.id));
    co_return co_await updater_.log().markApplied(std::move(remote.customer), stepDeadline());
  }

  Task<> endMissing() {
    std::string after;
    while (true) {
      CO_RETURN_IF_ERROR(checkTime());
      CO_TRY(store::Query query, openSubscriptions(std::move(after)));
      CO_TRY(const store::QueryResult found, co_await deps_.store.find(std::move(query)));
      for (const doc::Document& stored : found.documents) {
        CO_TRY(const AccountRecord account, store::fromStore<AccountRecord>(stored.view()));
        if (!account.subscription || std::ranges::binary_search(seen_, hashOf(account.subscription->id))) continue;
        CO_RETURN_IF_ERROR(co_await repair(account.id, account.subscription->id));
      }
      if (!found.more && found.documents.size() < kAccountsPage) co_return Result<>();
      after = found.next;
    }
  }

  Task<> repair(std::string user, std::string subscription) {
    CO_TRY(const bool changed, co_await updater_.update({.userId = std::move(user),
                                                         .subscription = std::move(subscription),
                                                         .event = std::nullopt,
                                                         .deadline = stepDeadline()}));
    repaired_ += changed ? 1 : 0;
    co_return Result<>();
  }

  const EventsDeps& deps_;
  SubscriptionUpdater updater_;
  const store::Deadline deadline_;
  std::vector<uint64_t> seen_;  // hashes of ids
  uint64_t repaired_ = 0;
};

}  // namespace

Task<> Events::compare(store::Deadline deadline) {
  Comparison comparison(deps_, deadline);
  co_return co_await comparison.run();
}

}  // namespace mb::billing
