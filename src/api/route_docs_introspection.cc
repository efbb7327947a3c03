// The database of a project's owner.
#include "api/route_docs.h"
#include "introspection/introspection.h"

namespace mb::api {

using enum ErrorCode;
using http::Method;

std::vector<RouteDoc> introspectionDocs() {
  using introspection::BackfillBody;
  using introspection::BackfillReport;
  using introspection::Candidate;
  using introspection::ImportBody;
  using introspection::ImportReport;
  using introspection::Report;
  const std::string all = "/api/v1/admin/introspect";
  const std::string one = all + "/:collection";
  return {
      {Method::get,
       all,
       "listIntrospected",
       {listOf<Candidate>("collections")},
       {notFound, unavailable},
       {},
       {.more = "404 in a project without a database of its owner."}},
      {Method::get,
       one,
       "introspectCollection",
       {whole<Report>()},
       {unavailable},
       {"sample"},
       {.more = "Reads random documents; no value of one is in the response."}},
      {Method::post,
       one + "/import",
       "importIntrospected",
       {whole<ImportReport>(201)},
       {validation, conflict, unavailable},
       {},
       {.more = "Registers the collection with a schema and a policy that denies everything; writes nothing to the "
                "database, unless `preImages` is true. Needs `collections:manage` too.",
        .body = {.shape = &doc::shapeInfo<ImportBody>},
        .bodyOptional = true}},
      {Method::post,
       one + "/backfill",
       "backfillIntrospected",
       {whole<BackfillReport>()},
       {validation, conflict, unavailable},
       {},
       {.more =
            "Gives documents without `id` one. Call it until `remaining` is 0; then it makes a unique index on `id` "
            "too. Needs `collections:manage` too.",
        .body = {.shape = &doc::shapeInfo<BackfillBody>},
        .bodyOptional = true}},
  };
}

}  // namespace mb::api
