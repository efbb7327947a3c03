#include "api/graphql_routes.h"

namespace mb::api {

namespace {

constexpr std::string_view kGraphqlResponse = "application/graphql-response+json";

// Those who name the media type of GraphQL over HTTP get it; all others plain JSON.
bool wantsGraphqlResponse(const http::Request& request) {
  const auto accept = request.header("accept");
  return accept && accept->find(kGraphqlResponse) != std::string_view::npos;
}

}  // namespace

void GraphqlRoutes::addTo(RouteTable& routes) {
  // Which scope a key needs follows from the operation, so it is the executor that asks.
  routes.post("/api/v1/graphql", data(""), this, &GraphqlRoutes::run, "Run a GraphQL operation");
}

Task<Reply> GraphqlRoutes::run(RequestContext& context) {
  CO_TRY(doc::Document body, co_await parseBody(context, doc::ExtendedJson::accept));
  const data::Access access{context.caller, context.project, data::Authority::policies, context.deadline};
  CO_TRY(std::string answer, co_await graphql_.answer(access, std::move(body)));
  Reply reply{http::Response::json(200, std::move(answer))};
  if (wantsGraphqlResponse(context.request))
    reply.response.contentType = "application/graphql-response+json; charset=utf-8";
  co_return reply;
}

}  // namespace mb::api
