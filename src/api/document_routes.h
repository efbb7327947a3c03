// /api/v1/:collection[/:id] and /api/v1/admin/collections/:name/documents[/:id]. Source: contract 4.3 and 4.5.
#pragma once

#include "api/routes.h"
#include "data/documents.h"

namespace mb::api {

// The query of list and single reads: filter, limit, skip, expand; anything else is ignored. Fails with invalidParam
// (limit or skip is empty, negative or no integer; a broken escape) and invalidFilter (no JSON object).
Result<data::ReadQuery> readQuery(std::string_view rawQuery);

class DocumentRoutes {
 public:
  explicit DocumentRoutes(data::Documents& documents) : documents_(documents) {}
  void addTo(RouteTable& routes);

  Task<Reply> list(RequestContext& context);
  Task<Reply> get(RequestContext& context);
  Task<Reply> create(RequestContext& context, doc::Document body);
  Task<Reply> update(RequestContext& context, doc::Document body);
  Task<Reply> replace(RequestContext& context, doc::Document body);
  Task<Reply> remove(RequestContext& context);

  Task<Reply> adminList(RequestContext& context);
  Task<Reply> adminGet(RequestContext& context);
  Task<Reply> adminCreate(RequestContext& context, doc::Document body);
  Task<Reply> adminUpdate(RequestContext& context, doc::Document body);
  Task<Reply> adminReplace(RequestContext& context, doc::Document body);
  Task<Reply> adminRemove(RequestContext& context);

 private:
  data::Documents& documents_;
};

}  // namespace mb::api
