// /api/v1/graphql. Source: contract 4.4; decisions 4 ("GraphQL").
#pragma once

#include "api/routes.h"
#include "graphql/graphql.h"

namespace mb::api {

class GraphqlRoutes {
 public:
  explicit GraphqlRoutes(graphql::Graphql& graphql) : graphql_(graphql) {}
  void addTo(RouteTable& routes);

  // Always 200 once the body is read: what is wrong stands in `errors`.
  Task<Reply> run(RequestContext& context);

 private:
  graphql::Graphql& graphql_;
};

}  // namespace mb::api
