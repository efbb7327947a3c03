// What exists with SERVICE_BILLING=on alone: the services of billing and their routes.
#pragma once

#include "api/billing_routes.h"
#include "api/cost_routes.h"
#include "api/plan_routes.h"
#include "billing/checkout.h"
#include "billing/costs.h"
#include "billing/daily_recount.h"
#include "billing/events.h"
#include "billing/hourly_readings.h"
#include "billing/meters.h"
#include "billing/overview.h"
#include "billing/plan_admin.h"
#include "billing/provider.h"

namespace mb::app {

// References outlive it.
struct BillingPartsDeps {
  store::DocumentStore& store;
  billing::Accounts& accounts;
  outbound::Outbound& outbound;
  jobs::Queue& queue;
  mail::Mailer& mailer;
  const Clock& clock;
  audit::Auditor& auditor;
  const billing::BillingSettings& settings;
  const std::string& baseUrl;
  billing::MetersDeps meters;
};

// Members in the order of construction.
struct BillingParts {
  explicit BillingParts(BillingPartsDeps deps);
  void addTo(api::RouteTable& routes);
  // The background passes; those of the provider's events are started apart.
  void start(const Executor& executor, TaskGroup& tasks);
  void stop();

  billing::ServerMeters meters;
  billing::Overview overview;
  billing::PlanAdmin admin;
  billing::History history;
  billing::Costs costs;
  billing::LimitMails limitMails;
  billing::HourlyReadings readings;
  billing::DailyRecount recount;
  billing::PlanMails planMails;
  billing::Provider provider;
  billing::Events events;
  billing::Checkout checkout;
  api::BillingRoutes billingRoutes{overview, checkout, events};
  api::PlanRoutes planRoutes{admin};
  api::CostRoutes costRoutes{costs};
};

}  // namespace mb::app
