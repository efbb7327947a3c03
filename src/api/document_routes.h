// /api/v1/:collection[/:id] and /api/v1/admin/collections/:name/documents[/:id] (docs/api.md, Documents).
#pragma once

#include "api/routes.h"
#include "data/documents.h"

namespace mb::api {

// Parses the query of list and single reads: filter, limit, skip, expand; other parameters are ignored. Fails with
// invalidParam (limit or skip is empty, negative or not an integer; a broken escape) and invalidFilter (not a JSON
// object).
Result<data::ReadQuery> readQuery(std::string_view rawQuery);

// The handlers of one plane. The two planes differ only in the caller's rights and in the response to a change.
// Versions of documents: document_conditions.h.
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
  // With the document on the admin plane, and on the data plane if the client prefers that and may read it.
  Task<Reply> changedReply(RequestContext& context, const data::Access& access, data::VisibleDocument changed);
  Task<Reply> createdReply(RequestContext& context, const data::VisibleDocument& created);

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
