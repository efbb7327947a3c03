#include "api/integration_routes.h"

namespace mb::api {

namespace {

integrations::Access integrationAccess(const RequestContext& context) {
  return {context.caller, context.project, context.deadline};
}

}  // namespace

void IntegrationRoutes::addTo(RouteTable& routes) {
  using Routes = IntegrationRoutes;
  const Gate read = admin("integrations:read");
  const Gate manage = admin("integrations:manage");
  const std::string all = "/api/v1/admin/integrations";
  const std::string one = all + "/:name";
  routes.get(all, read, this, &Routes::list, "List integrations");
  routes.post(all, manage, this, &Routes::create, "Create an integration");
  routes.get(all + "/providers", read, this, &Routes::providers, "List the providers of integrations");
  routes.get(one, read, this, &Routes::one, "Read an integration");
  routes.patch(one, manage, this, &Routes::change, "Change an integration");
  routes.remove(one, manage, this, &Routes::remove, "Delete an integration");
  routes.post(one + "/test", manage, this, &Routes::test, "Make one call of an integration, or check it");
  routes.patch(one + "/tests", manage, this, &Routes::saveTests, "Save the tests of an integration");
  routes.post(one + "/tests/run", manage, this, &Routes::runTests, "Run the tests of an integration");
}

Task<Reply> IntegrationRoutes::list(RequestContext& context) {
  co_return Reply::list("integrations", integrations_.list(*context.project));
}

Task<Reply> IntegrationRoutes::create(RequestContext& context, integrations::NewIntegration body) {
  CO_TRY(const integrations::IntegrationView view,
         co_await integrations_.create(integrationAccess(context), std::move(body)));
  co_return Reply::entity(201, "integration", view);
}

Task<Reply> IntegrationRoutes::providers(RequestContext&) {
  doc::BsonWriter out;
  doc::encodeValue(out, "providers", integrations_.catalogues());
  co_return Reply::object(200, out.finish());
}

Task<Reply> IntegrationRoutes::one(RequestContext& context) {
  CO_TRY(const integrations::IntegrationView view, integrations_.get(*context.project, context.param(0)));
  co_return Reply::entity(200, "integration", view);
}

Task<Reply> IntegrationRoutes::change(RequestContext& context, integrations::IntegrationPatch body) {
  CO_RETURN_IF_ERROR(co_await integrations_.change(integrationAccess(context), context.param(0), std::move(body)));
  co_return Reply::noContent();
}

Task<Reply> IntegrationRoutes::remove(RequestContext& context) {
  CO_RETURN_IF_ERROR(co_await integrations_.remove(integrationAccess(context), context.param(0)));
  co_return Reply::noContent();
}

Task<Reply> IntegrationRoutes::test(RequestContext& context, integrations::TryBody body) {
  CO_TRY(const integrations::TryResult result,
         co_await integrations_.tryCall(integrationAccess(context), context.param(0), std::move(body)));
  co_return Reply::object(200, result);
}

Task<Reply> IntegrationRoutes::saveTests(RequestContext& context, integrations::StoredTests body) {
  CO_RETURN_IF_ERROR(co_await integrations_.saveTests(integrationAccess(context), context.param(0), std::move(body)));
  co_return Reply::noContent();
}

Task<Reply> IntegrationRoutes::runTests(RequestContext& context) {
  CO_TRY(const integrations::SuiteOutcome outcome,
         co_await integrations_.runTests(integrationAccess(context), context.param(0)));
  co_return Reply::object(200, outcome);
}

}  // namespace mb::api
