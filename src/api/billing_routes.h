// /api/v1/control/billing, and the events of the payment provider (docs/billing.md). Only with billing.
#pragma once

#include "api/routes.h"
#include "billing/checkout.h"
#include "billing/events.h"
#include "billing/overview.h"

namespace mb::api {

struct PaymentPage {
  std::string url;
  static constexpr auto shape() { return doc::shape<PaymentPage>("PaymentPage", doc::field("url", &PaymentPage::url)); }
};

struct EventReceipt {
  bool received = true;
  bool applied = false;
  static constexpr auto shape() {
    return doc::shape<EventReceipt>("EventReceipt", doc::field("received", &EventReceipt::received),
                                    doc::field("applied", &EventReceipt::applied));
  }
};

class BillingRoutes {
 public:
  BillingRoutes(billing::Overview& overview, billing::Checkout& checkout, billing::Events& events)
      : overview_(overview), checkout_(checkout), events_(events) {}
  void addTo(RouteTable& routes);

  Task<Reply> overview(RequestContext& context);
  Task<Reply> checkout(RequestContext& context, billing::PlanBody body);
  Task<Reply> portal(RequestContext& context);
  // Takes the body as it was sent, since the signature is that of its bytes.
  Task<Reply> event(RequestContext& context);

 private:
  billing::Overview& overview_;
  billing::Checkout& checkout_;
  billing::Events& events_;
};

}  // namespace mb::api
