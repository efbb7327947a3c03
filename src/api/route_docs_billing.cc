// Plans and payment; without billing none of these routes is in the document.
#include "api/billing_routes.h"
#include "api/route_docs.h"
#include "billing/costs.h"
#include "billing/plan_types.h"

namespace mb::api {

namespace {

using enum ErrorCode;
using http::Method;

constexpr std::string_view kEvent = R"({
  "type": "object",
  "properties": {
    "id": {"type": "string", "examples": ["evt_1"]},
    "type": {"type": "string", "examples": ["customer.subscription.updated"]},
    "created": {"type": "integer", "description": "Unix seconds.", "examples": [1769852400]},
    "data": {"type": "object", "properties": {"object": {"type": "object", "examples": [{"id": "sub_1"}]}}}
  },
  "required": ["id", "type"]
})";

// Sent if `accept` names it.
openapi::Response costTable() {
  openapi::Response table = like(R"({"type": "string", "examples": ["id,name,ownerId\r\n"]})");
  table.content.type = "text/csv; charset=utf-8";
  return table;
}

}  // namespace

std::vector<RouteDoc> billingDocs() {
  using namespace billing;
  const std::string at = "/api/v1/control/admin";
  const std::string own = "/api/v1/control/billing";
  return {
      {Method::get, own, "getBilling", {whole<BillingView>()}},
      {Method::post, own + "/checkout", "startCheckout", {whole<PaymentPage>()}, {conflict, upstreamFailed}},
      {Method::post, own + "/portal", "openBillingPortal", {whole<PaymentPage>()}, {conflict, upstreamFailed}},
      {Method::post,
       "/api/v1/billing/webhook",
       "takePaymentEvent",
       {whole<EventReceipt>()},
       {validation, upstreamFailed},
       {},
       {.more = "Events of other types, and those that were applied before, are received and not applied.",
        .body = {.schema = kEvent},
        .headers = {"payment-signature"}}},
      {Method::post, at + "/users/:id/plan", "setPlan", {kNothing}},
      {Method::put, at + "/users/:id/limits", "setLimits", {kNothing}},
      {Method::remove, at + "/users/:id/limits", "clearLimits", {kNothing}},
      {Method::get, at + "/plans", "listPlans", {listOf<PlanView>("plans")}},
      {Method::patch, at + "/plans/:slug", "updatePlan", {kNothing}, {conflict}},
      {Method::get, at + "/cost-model", "getCostModel", {whole<CostModel>()}},
      {Method::put, at + "/cost-model", "setCostModel", {kNothing}},
      {Method::get, at + "/costs", "getCosts", {whole<CostReport>(), costTable()}, {}, {"from", "to"}},
  };
}

}  // namespace mb::api
