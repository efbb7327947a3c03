// POST /api/v1/:collection/query and /count, and the same under /api/v1/admin/collections/:name (docs/queries.md).
#pragma once

#include "api/routes.h"
#include "data/data.h"
#include "data/query_request.h"
#include "identity/described_callers.h"

namespace mb::api {

// A query of the admin plane: with `as` the result is what that caller's list would show.
struct AdminQueryRequest : data::QueryRequest {
  std::optional<identity::CallerDescription> as;
  static constexpr auto shape() {
    return std::apply(
        [](const auto&... fields) {
          return doc::shape<AdminQueryRequest>("AdminQueryRequest", ofThis(fields)...,
                                               doc::field("as", &AdminQueryRequest::as));
        },
        data::QueryRequest::shape().fields);
  }

 private:
  template <class M>
  static constexpr doc::Field<AdminQueryRequest, M> ofThis(const doc::Field<data::QueryRequest, M>& field) {
    return {field.name, field.member};
  }
};

class QueryRoutes {
 public:
  // The references outlive this.
  QueryRoutes(data::Data& data, const identity::DescribedCallers& callers)
      : documents_(data.documents()), trials_(data.policyTrials()), callers_(callers) {}
  void addTo(RouteTable& routes);

  // The bodies are optional.
  Task<Reply> query(RequestContext& context);
  Task<Reply> count(RequestContext& context);
  Task<Reply> adminQuery(RequestContext& context);
  Task<Reply> adminCount(RequestContext& context);

 private:
  Task<Reply> countAs(RequestContext& context, data::Authority authority);
  Task<data::DocumentPage> queryAs(RequestContext& context, const data::DocumentQuery& query,
                                   identity::CallerDescription as) const;

  data::Documents& documents_;
  const data::PolicyTrials& trials_;
  const identity::DescribedCallers& callers_;
};

}  // namespace mb::api
