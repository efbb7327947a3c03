// Webhooks of a project (docs/webhooks.md).
#pragma once

#include "api/routes.h"
#include "webhooks/webhooks.h"

namespace mb::api {

class WebhookRoutes {
 public:
  explicit WebhookRoutes(webhooks::Webhooks& webhooks) : webhooks_(webhooks) {}
  void addTo(RouteTable& routes);

  Task<Reply> list(RequestContext& context);
  Task<Reply> create(RequestContext& context, webhooks::NewWebhook body);
  Task<Reply> one(RequestContext& context);
  Task<Reply> change(RequestContext& context, webhooks::WebhookPatch body);
  Task<Reply> remove(RequestContext& context);
  Task<Reply> deliveries(RequestContext& context);
  Task<Reply> rotate(RequestContext& context);
  Task<Reply> test(RequestContext& context);
  Task<Reply> redeliver(RequestContext& context);

 private:
  webhooks::Webhooks& webhooks_;
};

}  // namespace mb::api
