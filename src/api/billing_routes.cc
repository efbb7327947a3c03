#include "api/billing_routes.h"

#include "base/cancellation.h"
#include "http/body.h"

namespace mb::api {

namespace {

constexpr size_t kMaxEventBytes = 1 << 20;

// Fails with validation for a body above kMaxEventBytes: every event that is not taken is a 400.
Task<std::string> eventBody(http::BodyReader& body) {
  body.setLimit(kMaxEventBytes);
  std::string text;
  while (true) {
    const Result<std::string_view> piece = co_await body.read();
    if (!piece && piece.error().code() == ErrorCode::payloadTooLarge) {
      co_return fail(ErrorCode::validation, piece.error().message());
    }
    if (!piece) co_return fail(piece.error().clone());
    if (piece->empty()) co_return text;
    text += *piece;
  }
}

}  // namespace

void BillingRoutes::addTo(RouteTable& routes) {
  const std::string at = "/api/v1/control/billing";
  routes.get(at, control(), this, &BillingRoutes::overview, "Your plan, and what your projects use of it");
  routes.post(at + "/checkout", control(), this, &BillingRoutes::checkout, "Begin to pay for a plan");
  routes.post(at + "/portal", control(), this, &BillingRoutes::portal, "Manage your subscription");
  routes.post("/api/v1/billing/webhook", open(), this, &BillingRoutes::event, "Take an event of the payment provider")
      .streamsBody = true;
}

Task<Reply> BillingRoutes::overview(RequestContext& context) {
  co_await endWithClient();
  CO_TRY(const billing::BillingView view, co_await overview_.of(context.caller.id));
  co_return Reply::object(200, view);
}

Task<Reply> BillingRoutes::checkout(RequestContext& context, billing::PlanBody body) {
  CO_TRY(std::string url, co_await checkout_.checkout(context.caller, std::move(body.plan), context.deadline));
  co_return Reply::object(200, PaymentPage{std::move(url)});
}

Task<Reply> BillingRoutes::portal(RequestContext& context) {
  CO_TRY(std::string url, co_await checkout_.portal(context.caller, context.deadline));
  co_return Reply::object(200, PaymentPage{std::move(url)});
}

Task<Reply> BillingRoutes::event(RequestContext& context) {
  auto signature = context.request.header("payment-signature");
  if (!signature) signature = context.request.header("stripe-signature");
  std::string header(signature.value_or(""));
  CO_TRY(std::string body, co_await eventBody(*context.request.stream));
  context.renewDeadline();
  CO_TRY(const bool applied, co_await events_.take(std::move(header), std::move(body), context.deadline));
  co_return Reply::object(200, EventReceipt{true, applied});
}

}  // namespace mb::api
