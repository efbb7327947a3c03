// /api/v1/graphql (docs/graphql.md).
#pragma once

#include "api/routes.h"
#include "graphql/graphql.h"

namespace mb::api {

class GraphqlRoutes {
 public:
  explicit GraphqlRoutes(graphql::Graphql& graphql) : graphql_(graphql) {}
  void addTo(RouteTable& routes);

  // Always 200 once the body is read: errors are in the response's `errors`.
  Task<Reply> run(RequestContext& context);

 private:
  graphql::Graphql& graphql_;
};

}  // namespace mb::api
