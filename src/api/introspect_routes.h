// /api/v1/admin/introspect: the database of a project's owner (docs/introspection.md).
#pragma once

#include "api/routes.h"
#include "introspection/introspection.h"

namespace mb::api {

class IntrospectRoutes {
 public:
  explicit IntrospectRoutes(introspection::Introspection& introspection) : introspection_(introspection) {}
  void addTo(RouteTable& routes);

  Task<Reply> list(RequestContext& context);
  Task<Reply> report(RequestContext& context);
  // The body is an introspection::ImportBody, or absent.
  Task<Reply> import(RequestContext& context);
  // The body is an introspection::BackfillBody, or absent.
  Task<Reply> backfill(RequestContext& context);

 private:
  introspection::Introspection& introspection_;
};

}  // namespace mb::api
