// Integrations of a project (docs/integrations.md).
#pragma once

#include "api/routes.h"
#include "integrations/integration_service.h"

namespace mb::api {

class IntegrationRoutes {
 public:
  explicit IntegrationRoutes(integrations::Integrations& integrations) : integrations_(integrations) {}
  void addTo(RouteTable& routes);

  Task<Reply> list(RequestContext& context);
  Task<Reply> create(RequestContext& context, integrations::NewIntegration body);
  Task<Reply> providers(RequestContext& context);
  Task<Reply> one(RequestContext& context);
  Task<Reply> change(RequestContext& context, integrations::IntegrationPatch body);
  Task<Reply> remove(RequestContext& context);
  Task<Reply> test(RequestContext& context, integrations::TryBody body);
  Task<Reply> saveTests(RequestContext& context, integrations::StoredTests body);
  Task<Reply> runTests(RequestContext& context);

 private:
  integrations::Integrations& integrations_;
};

}  // namespace mb::api
