#include "api/graphql_routes.h"

namespace mb::api {

namespace {

constexpr std::string_view kGraphqlResponse = "application/graphql-response+json";

// Whether `accept` names the media type of GraphQL over HTTP; other clients get application/json.
bool wantsGraphqlResponse(const http::Request& request) {
  const auto accept = request.header("accept");
  return accept && accept->find(kGraphqlResponse) != std::string_view::npos;
}

}  // namespace

void GraphqlRoutes::addTo(RouteTable& routes) {
  // The scope that a key needs depends on the operation, so the executor checks it.
  routes.post("/api/v1/graphql", dataOrAnonymous("", std::nullopt), this, &GraphqlRoutes::run,
              "Run a GraphQL operation");
}

Task<Reply> GraphqlRoutes::run(RequestContext& context) {
  CO_TRY(doc::Document body, co_await parseBody(context, doc::ExtendedJson::accept));
  const data::Access access{context.caller, context.project, data::Authority::policies, context.deadline};
  CO_TRY(std::string result, co_await graphql_.answer(access, std::move(body)));
  Reply reply{http::Response::json(200, std::move(result))};
  if (wantsGraphqlResponse(context.request))
    reply.response.contentType = "application/graphql-response+json; charset=utf-8";
  co_return reply;
}

}  // namespace mb::api
