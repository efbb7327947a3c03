#include "app/billing_parts.h"

#include "base/log.h"

namespace mb::app {

BillingParts::BillingParts(BillingPartsDeps deps)
    : meters(std::move(deps.meters)),
      overview(deps.store, deps.accounts, meters),
      admin({deps.store, deps.accounts, deps.clock, deps.auditor}),
      provider(deps.outbound, deps.clock, deps.settings),
      events({deps.store, deps.accounts, provider, deps.queue, deps.clock, deps.auditor, deps.settings}),
      checkout({deps.accounts, provider, deps.store, deps.clock, deps.baseUrl}) {
  if (!deps.settings.webhookSecret) {
    logWarn("SERVICE_BILLING_WEBHOOK_SECRET is not set: every event of the payment provider is refused");
  }
}

void BillingParts::addTo(api::RouteTable& routes) {
  billingRoutes.addTo(routes);
  planRoutes.addTo(routes);
}

}  // namespace mb::app
