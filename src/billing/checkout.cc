#include "billing/checkout.h"

#include <fmt/format.h>

namespace mb::billing {

namespace {

constexpr std::string_view kFreePlan = "free";

Error invalidPlan(std::string message) {
  return Error(ErrorCode::validation, "/plan " + message).withDetail("/plan", message);
}

Result<> checkTime(store::Deadline deadline) {
  if (std::chrono::steady_clock::now() < deadline) return {};
  return fail(ErrorCode::unavailable, "the request exceeded its time limit");
}

}  // namespace

bool isRunning(const Subscription& subscription, Timestamp now) {
  if (!subscription.counts()) return false;
  const std::optional<Timestamp>& end = subscription.currentPeriodEnd.value;
  return !subscription.cancelAtPeriodEnd || !end || *end > now;
}

std::string Checkout::keyOf(const std::string& user, const std::string& plan) const {
  const int64_t window = deps_.clock.now().ms / kCheckoutWindowMs;
  const std::string text = fmt::format("{}\n{}\n{}\n{}", deps_.baseUrl, user, plan, window);
  return "checkout-" + toHex(sha256(text)).substr(0, 32);
}

Task<std::string> Checkout::checkout(policy::Caller by, std::string plan, store::Deadline deadline) {
  CO_TRY(const Catalogue catalogue, co_await readCatalogue(deps_.store));
  if (!catalogue.find(plan)) co_return fail(invalidPlan("is not a plan"));
  if (plan == kFreePlan) co_return fail(invalidPlan("must be a plan that is paid for: end the subscription instead"));
  CO_TRY(const std::optional<AccountRecord> account, co_await deps_.accounts.find(by.id));
  if (account && account->subscription && isRunning(*account->subscription, deps_.clock.now())) {
    co_return fail(ErrorCode::conflict, "a subscription is active: change its plan in the portal");
  }
  CO_RETURN_IF_ERROR(checkTime(deadline));
  const std::string page = deps_.baseUrl + std::string(kBillingPage);
  std::string key = keyOf(by.id, plan);
  co_return co_await deps_.provider.checkout({.userId = std::move(by.id),
                                              .email = std::move(by.email),
                                              .customer = account ? account->customer : std::nullopt,
                                              .plan = std::move(plan),
                                              .successUrl = page + "?checkout=success",
                                              .cancelUrl = page + "?checkout=canceled"},
                                             std::move(key));
}

Task<std::string> Checkout::portal(policy::Caller by, store::Deadline deadline) {
  CO_TRY(const Catalogue catalogue, co_await readCatalogue(deps_.store));
  CO_TRY(const std::optional<AccountRecord> account, co_await deps_.accounts.find(by.id));
  if (!account || !account->customer) {
    co_return fail(ErrorCode::conflict, "you are not a customer of the payment provider yet: start a checkout");
  }
  if (planInForce(catalogue, &*account).source == Source::grant) {
    co_return fail(ErrorCode::conflict, "your plan was granted by an operator, and is not paid for");
  }
  CO_RETURN_IF_ERROR(checkTime(deadline));
  std::string key = "portal-" + randomToken(16);
  co_return co_await deps_.provider.portal(*account->customer, deps_.baseUrl + std::string(kBillingPage),
                                           std::move(key));
}

}  // namespace mb::billing
