// /api/v1/:collection[/:id] and /api/v1/admin/collections/:name/documents[/:id]. Source: contract 4.3 and 4.5.
#pragma once

#include "api/routes.h"
#include "data/documents.h"

namespace mb::api {

// The query of list and single reads: filter, limit, skip, expand; anything else is ignored. Fails with invalidParam
// (limit or skip is empty, negative or no integer; a broken escape) and invalidFilter (no JSON object).
Result<data::ReadQuery> readQuery(std::string_view rawQuery);

// Handlers of one plane; the same for both but for what the caller may and is told.
class DocumentPlane {
 public:
  DocumentPlane(data::Documents& documents, data::Authority authority) : documents_(documents), authority_(authority) {}

  Task<Reply> list(RequestContext& context);
  Task<Reply> get(RequestContext& context);
  Task<Reply> create(RequestContext& context, doc::Document body);
  Task<Reply> update(RequestContext& context, doc::Document body);
  Task<Reply> replace(RequestContext& context, doc::Document body);
  Task<Reply> remove(RequestContext& context);

 private:
  data::Access accessOf(const RequestContext& context) const;
  Reply changedReply(const data::VisibleDocument& changed) const;

  data::Documents& documents_;
  const data::Authority authority_;
};

class DocumentRoutes {
 public:
  explicit DocumentRoutes(data::Documents& documents);
  void addTo(RouteTable& routes);

 private:
  DocumentPlane byPolicies_;
  DocumentPlane byAdmins_;
};

}  // namespace mb::api
