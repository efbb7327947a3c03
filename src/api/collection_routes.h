// /api/v1/admin/collections: collections, schemas, policies, indexes (docs/api.md, Administration).
#pragma once

#include "api/routes.h"
#include "data/collections.h"
#include "introspection/introspection.h"

namespace mb::api {

struct NewCollection {
  std::string name;
  static constexpr auto shape() {
    return doc::shape<NewCollection>("NewCollection", doc::field("name", &NewCollection::name));
  }
};

struct CollectionRename {
  std::string to;
  static constexpr auto shape() {
    return doc::shape<CollectionRename>("CollectionRename", doc::field("to", &CollectionRename::to));
  }
};

class CollectionRoutes {
 public:
  CollectionRoutes(data::Collections& collections, introspection::Introspection& introspection)
      : collections_(collections), introspection_(introspection) {}
  void addTo(RouteTable& routes);

  Task<Reply> list(RequestContext& context);
  Task<Reply> stats(RequestContext& context);
  Task<Reply> create(RequestContext& context, NewCollection body);
  Task<Reply> drop(RequestContext& context);
  Task<Reply> rename(RequestContext& context, CollectionRename body);

  Task<Reply> schema(RequestContext& context);
  Task<Reply> setSchema(RequestContext& context, doc::Document body);
  Task<Reply> clearSchema(RequestContext& context);
  // The body is a data::SchemaCheckRequest.
  Task<Reply> checkSchema(RequestContext& context, doc::Document body);

  Task<Reply> policy(RequestContext& context);
  Task<Reply> setPolicy(RequestContext& context, doc::Document body);
  Task<Reply> clearPolicy(RequestContext& context);

  Task<Reply> indexes(RequestContext& context);
  Task<Reply> createIndex(RequestContext& context, doc::Document body);
  Task<Reply> dropIndex(RequestContext& context);

 private:
  data::Collections& collections_;
  introspection::Introspection& introspection_;
};

}  // namespace mb::api
