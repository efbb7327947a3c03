#include "api/connection_routes.h"

namespace mb::api {

namespace {

constexpr std::string_view kKinds = "/api/v1/control/connections/kinds";
constexpr std::string_view kOwn = "/api/v1/control/connections";
constexpr std::string_view kOne = "/api/v1/control/connections/:id";
constexpr std::string_view kOfProject = "/api/v1/control/projects/:id/connections";

projects::By authorOf(const RequestContext& context) {
  return {context.caller, context.deadline};
}

}  // namespace

void ConnectionRoutes::addTo(RouteTable& routes) {
  using http::Method;
  using Self = ConnectionRoutes;
  const auto add = [&](Method method, std::string_view path, auto handler, std::string_view summary) {
    if (on_) {
      routes.add(method, std::string(path), control(), this, handler, summary);
    } else {
      routes.add(method, std::string(path), control(), this, &Self::off, summary);
    }
  };
  add(Method::get, kKinds, &Self::kinds, "Kinds of connections");
  add(Method::get, kOwn, &Self::listOwn, "List your organization's connections");
  add(Method::post, kOwn, &Self::createOwn, "Create a connection of your organization");
  add(Method::patch, kOne, &Self::change, "Change a connection");
  add(Method::remove, kOne, &Self::remove, "Delete a connection");
  add(Method::get, kOfProject, &Self::listOf, "List a project's connections and its organization's");
  add(Method::post, kOfProject, &Self::createOf, "Create a connection of a project");
}

Task<Reply> ConnectionRoutes::kinds(RequestContext&) {
  co_return Reply::list("kinds", connections::kinds());
}

Task<Reply> ConnectionRoutes::listOwn(RequestContext& context) {
  CO_TRY(const auto connections, co_await connections_.listOwn(authorOf(context)));
  co_return Reply::list("connections", connections);
}

Task<Reply> ConnectionRoutes::createOwn(RequestContext& context, connections::NewConnection body) {
  CO_TRY(const auto connection, co_await connections_.createOwn(authorOf(context), std::move(body)));
  co_return Reply::entity(201, "connection", connection);
}

Task<Reply> ConnectionRoutes::change(RequestContext& context, connections::ConnectionPatch body) {
  CO_RETURN_IF_ERROR(co_await connections_.change(authorOf(context), context.param(0), std::move(body)));
  co_return Reply::noContent();
}

Task<Reply> ConnectionRoutes::remove(RequestContext& context) {
  CO_RETURN_IF_ERROR(co_await connections_.remove(authorOf(context), context.param(0)));
  co_return Reply::noContent();
}

Task<Reply> ConnectionRoutes::listOf(RequestContext& context) {
  CO_TRY(const auto connections, co_await connections_.listOf(authorOf(context), context.param(0)));
  co_return Reply::list("connections", connections);
}

Task<Reply> ConnectionRoutes::createOf(RequestContext& context, connections::NewConnection body) {
  CO_TRY(const auto connection, co_await connections_.createOf(authorOf(context), context.param(0), std::move(body)));
  co_return Reply::entity(201, "connection", connection);
}

Task<Reply> ConnectionRoutes::off(RequestContext&) {
  co_return fail(ErrorCode::notFound, "connections are not enabled on this deployment");
}

}  // namespace mb::api
