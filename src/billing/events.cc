#include "billing/events.h"

#include "billing/known_users.h"
#include "billing/subscription_updater.h"
#include "identity/realm.h"

namespace mb::billing {

namespace {

using namespace std::chrono_literals;

constexpr auto kComparisonEvery = 24h;
// A page of a hundred subscriptions takes a second or so.
constexpr auto kComparisonLimit = 2h;

}  // namespace

Task<std::optional<std::string>> userOf(const EventsDeps& deps, std::string named, std::string customer) {
  if (named.empty()) {
    CO_TRY(std::optional<AccountRecord> account, co_await deps.accounts.ofCustomer(std::move(customer)));
    if (!account) co_return std::nullopt;
    named = std::move(account->id);
  }
  // Ids of users have the same characters as those of the provider.
  if (!isProviderId(named)) co_return std::nullopt;
  CO_TRY(const auto user, co_await deps.store.get({store::kControlProject, identity::kUsers, 0}, named));
  if (!user) co_return std::nullopt;
  co_return named;
}

Events::Events(EventsDeps deps) : deps_(deps) {
  jobs::Kind kind;
  kind.name = kComparison;
  kind.handler = [this](jobs::JobRun run) { return runComparison(std::move(run)); };
  kind.backoff = {1min, 10min, 1h};
  kind.timeout = kComparisonLimit;
  kind.concurrency = 1;
  kind.perProject = 1;
  deps_.queue.declare(std::move(kind));
}

Task<> Events::start() {
  // The first one at once, so that what was changed while billing was off is known.
  CO_RETURN_IF_ERROR(co_await deps_.queue.put(
      {.kind = std::string(kComparison), .id = std::string(kComparison), .repeatEvery = kComparisonEvery}));
  co_return Result<>();
}

Task<> Events::runComparison(jobs::JobRun run) {
  return compare(run.deadline);
}

Task<bool> Events::take(std::string signature, std::string body, store::Deadline deadline) {
  if (!deps_.settings.webhookSecret) {
    co_return fail(ErrorCode::validation, "events are refused: SERVICE_BILLING_WEBHOOK_SECRET is not set");
  }
  if (body.size() > kMaxEventBytes) co_return fail(ErrorCode::validation, "an event is at most 256 KiB long");
  if (!isSignedBy(signature, body, *deps_.settings.webhookSecret, deps_.clock.now())) {
    co_return fail(ErrorCode::validation, "the event is not signed with the webhook secret, or not within 5 minutes");
  }
  CO_TRY(ProviderEvent event, providerEventOf(body));
  if (!event.isHandled) co_return false;
  SubscriptionUpdater updater(deps_);
  CO_TRY(const std::optional<EventRecord> taken, co_await updater.log().find(event.id));
  if (taken && taken->applied) co_return false;
  CO_TRY(std::optional<std::string> user, co_await userOf(deps_, event.userId, event.customer));
  if (!user) {
    CO_RETURN_IF_ERROR(co_await updater.log().record(std::move(event), false, deadline));
    co_return false;
  }
  std::string subscription = event.subscription;
  co_return co_await updater.update({.userId = *std::move(user),
                                     .subscription = std::move(subscription),
                                     .event = std::move(event),
                                     .deadline = deadline});
}

}  // namespace mb::billing
