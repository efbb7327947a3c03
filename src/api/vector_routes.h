// Vector configs of collections, and search (docs/vectors.md).
#pragma once

#include "api/routes.h"
#include "vectors/vectors.h"

namespace mb::api {

class VectorRoutes {
 public:
  explicit VectorRoutes(vectors::Vectors& vectors) : vectors_(vectors) {}
  void addTo(RouteTable& routes);

  Task<Reply> list(RequestContext& context);
  Task<Reply> config(RequestContext& context);
  Task<Reply> setConfig(RequestContext& context, vectors::VectorConfig body);
  Task<Reply> clearConfig(RequestContext& context);
  Task<Reply> search(RequestContext& context, doc::Document body);

 private:
  vectors::Vectors& vectors_;
};

}  // namespace mb::api
