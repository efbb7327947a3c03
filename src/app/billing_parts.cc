#include "app/billing_parts.h"

#include "base/crypto.h"
#include "base/log.h"
#include "functions/run_log.h"

namespace mb::app {

BillingParts::BillingParts(BillingPartsDeps deps)
    : meters(std::move(deps.meters)),
      overview(deps.store, deps.accounts, meters),
      admin({deps.store, deps.accounts, deps.clock, deps.auditor}),
      history({deps.store, [&runs = meters.deps().runs](store::ProjectNo project,
                                                        Timestamp at) { return runs.runsOfMonth(project, at); }}),
      costs({deps.store, history, deps.clock}),
      limitMails({deps.store, deps.accounts, deps.mailer, deps.baseUrl}),
      readings({deps.store, meters, history, limitMails, deps.clock}),
      recount({deps.store, deps.clock, static_cast<int64_t>(randomU64() % static_cast<uint64_t>(billing::kDayMs))}),
      planMails({deps.store, deps.mailer, deps.baseUrl}),
      provider(deps.outbound, deps.clock, deps.settings),
      events({deps.store, deps.accounts, provider, deps.queue, deps.clock, deps.auditor, deps.settings, planMails}),
      checkout({deps.accounts, provider, deps.store, deps.clock, deps.baseUrl}) {
  if (!deps.settings.webhookSecret) {
    logWarn("SERVICE_BILLING_WEBHOOK_SECRET is not set: every event of the payment provider is refused");
  }
}

void BillingParts::start(const Executor& executor, TaskGroup& tasks) {
  readings.start(executor, tasks);
  recount.start(executor, tasks);
}

void BillingParts::stop() {
  readings.stop();
  recount.stop();
}

void BillingParts::addTo(api::RouteTable& routes) {
  billingRoutes.addTo(routes);
  planRoutes.addTo(routes);
  costRoutes.addTo(routes);
}

}  // namespace mb::app
