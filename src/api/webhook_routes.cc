#include "api/webhook_routes.h"

#include "api/document_routes.h"

namespace mb::api {

namespace {

webhooks::Access webhookAccess(const RequestContext& context) {
  return {context.caller, context.project, context.deadline};
}

}  // namespace

void WebhookRoutes::addTo(RouteTable& routes) {
  using Routes = WebhookRoutes;
  const Gate read = admin("webhooks:read");
  const Gate manage = admin("webhooks:manage");
  const std::string all = "/api/v1/admin/webhooks";
  const std::string one = all + "/:name";
  routes.get(all, read, this, &Routes::list, "List webhooks");
  routes.post(all, manage, this, &Routes::create, "Create a webhook; its secret is shown only once");
  routes.get(one, read, this, &Routes::one, "Read a webhook");
  routes.patch(one, manage, this, &Routes::change, "Change a webhook");
  routes.remove(one, manage, this, &Routes::remove, "Delete a webhook and its log");
  routes.get(one + "/deliveries", read, this, &Routes::deliveries, "List a webhook's last deliveries");
  routes.post(one + "/rotate-secret", manage, this, &Routes::rotate, "Rotate a webhook's secret");
  routes.post(one + "/test", manage, this, &Routes::test, "Send a test delivery now");
  routes.post(one + "/deliveries/:id/redeliver", manage, this, &Routes::redeliver, "Send a delivery again now");
}

Task<Reply> WebhookRoutes::list(RequestContext& context) {
  co_return Reply::list("webhooks", webhooks_.list(*context.project));
}

Task<Reply> WebhookRoutes::create(RequestContext& context, webhooks::NewWebhook body) {
  CO_TRY(const webhooks::CreatedWebhook created, co_await webhooks_.create(webhookAccess(context), std::move(body)));
  co_return Reply::object(201, created);
}

Task<Reply> WebhookRoutes::one(RequestContext& context) {
  CO_TRY(const webhooks::WebhookView view, webhooks_.get(*context.project, context.param(0)));
  co_return Reply::entity(200, "webhook", view);
}

Task<Reply> WebhookRoutes::change(RequestContext& context, webhooks::WebhookPatch body) {
  CO_RETURN_IF_ERROR(co_await webhooks_.change(webhookAccess(context), context.param(0), std::move(body)));
  co_return Reply::noContent();
}

Task<Reply> WebhookRoutes::remove(RequestContext& context) {
  CO_RETURN_IF_ERROR(co_await webhooks_.remove(webhookAccess(context), context.param(0)));
  co_return Reply::noContent();
}

Task<Reply> WebhookRoutes::deliveries(RequestContext& context) {
  CO_TRY(const data::ReadQuery page, readQuery(context.request.query));
  const auto limit = static_cast<int64_t>(std::min<uint64_t>(page.limit, webhooks::kMaxDeliveries));
  CO_TRY(const std::vector<webhooks::DeliveryView> deliveries,
         co_await webhooks_.deliveries(context.project, context.param(0), limit));
  co_return Reply::list("deliveries", deliveries);
}

Task<Reply> WebhookRoutes::rotate(RequestContext& context) {
  CO_TRY(const webhooks::RotatedSecret rotated, co_await webhooks_.rotate(webhookAccess(context), context.param(0)));
  co_return Reply::object(200, rotated);
}

Task<Reply> WebhookRoutes::test(RequestContext& context) {
  CO_TRY(const webhooks::DeliveryView delivery, co_await webhooks_.test(webhookAccess(context), context.param(0)));
  co_return Reply::entity(200, "delivery", delivery);
}

Task<Reply> WebhookRoutes::redeliver(RequestContext& context) {
  CO_TRY(const webhooks::DeliveryView delivery,
         co_await webhooks_.redeliver(webhookAccess(context), context.param(0), context.param(1)));
  co_return Reply::entity(200, "delivery", delivery);
}

}  // namespace mb::api
