#include "api/introspect_routes.h"

#include <charconv>

namespace mb::api {

namespace {

identity::ProjectAccess accessOf(const RequestContext& context) {
  return {context.caller, context.project, context.deadline};
}

Result<size_t> sampleOf(std::string_view rawQuery) {
  TRY(const http::QueryParams params, http::QueryParams::parse(rawQuery));
  const auto text = params.get("sample");
  if (!text) return introspection::kDefaultSample;
  size_t sample = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), sample);
  const bool isNumber = error == std::errc() && end == text->data() + text->size();
  if (!isNumber || sample < 1 || sample > introspection::kMaxSample) {
    return fail(ErrorCode::invalidParam, fmt::format("sample must be 1 to {}", introspection::kMaxSample));
  }
  return sample;
}

// The JSON body as a T; without a body, a T without members.
template <class T>
Task<T> optionalBody(RequestContext& context) {
  if (context.request.body.empty()) co_return T();
  CO_TRY(const doc::Document body, co_await parseBody(context, doc::ExtendedJson::refuse));
  co_return doc::decode<T>(body);
}

}  // namespace

void IntrospectRoutes::addTo(RouteTable& routes) {
  using Routes = IntrospectRoutes;
  const std::string all = "/api/v1/admin/introspect";
  const std::string one = all + "/:collection";
  routes.get(all, admin("introspect:read"), this, &Routes::list, "List the collections of the project's own database");
  routes.get(one, admin("introspect:read"), this, &Routes::report,
             "Report on a collection of the project's own database");
  routes.post(one + "/import", admin("introspect:manage"), this, &Routes::import,
              "Import a collection of the project's own database");
  routes.post(one + "/backfill", admin("introspect:manage"), this, &Routes::backfill,
              "Give documents of the project's own database an id");
}

Task<Reply> IntrospectRoutes::list(RequestContext& context) {
  CO_TRY(const std::vector<introspection::Candidate> candidates, co_await introspection_.list(accessOf(context)));
  co_return Reply::list("collections", candidates);
}

Task<Reply> IntrospectRoutes::report(RequestContext& context) {
  CO_TRY(const size_t sample, sampleOf(context.request.query));
  CO_TRY(const introspection::Report report,
         co_await introspection_.report(accessOf(context), context.param(0), sample));
  co_return Reply::object(200, report);
}

Task<Reply> IntrospectRoutes::import(RequestContext& context) {
  CO_TRY(introspection::ImportBody body, co_await optionalBody<introspection::ImportBody>(context));
  CO_TRY(const introspection::ImportReport report,
         co_await introspection_.import(accessOf(context), context.param(0), std::move(body)));
  co_return Reply::object(201, report);
}

Task<Reply> IntrospectRoutes::backfill(RequestContext& context) {
  CO_TRY(const introspection::BackfillBody body, co_await optionalBody<introspection::BackfillBody>(context));
  CO_TRY(const introspection::BackfillReport report,
         co_await introspection_.backfill(accessOf(context), context.param(0), body));
  co_return Reply::object(200, report);
}

}  // namespace mb::api
