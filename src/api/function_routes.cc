#include "api/function_routes.h"

#include <charconv>

#include "api/document_routes.h"

namespace mb::api {

namespace {

functions::Access access(const RequestContext& context) {
  return {context.caller, context.project, context.deadline};
}

// The version number; 0, which no version has, if `text` is not a number.
int64_t versionIn(std::string_view text) {
  int64_t version = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), version);
  return failure == std::errc{} && end == text.data() + text.size() ? version : 0;
}

}  // namespace

void FunctionRoutes::addTo(RouteTable& routes) {
  using Routes = FunctionRoutes;
  const Gate read = admin("functions:read");
  const Gate manage = admin("functions:manage");
  const std::string all = "/api/v1/admin/functions";
  const std::string one = all + "/:name";
  routes.get(all, read, this, &Routes::list, "List functions");
  routes.post(all, manage, this, &Routes::create, "Create a function");
  routes.get(one, read, this, &Routes::one, "Read a function");
  routes.patch(one, manage, this, &Routes::change, "Change a function");
  routes.remove(one, manage, this, &Routes::remove, "Delete a function, its versions and its log");
  routes.get(one + "/versions", read, this, &Routes::versions, "List a function's last versions");
  routes.get(one + "/versions/:version", read, this, &Routes::version, "Read a version of a function");
  routes.post(one + "/rollback", manage, this, &Routes::rollback, "Restore a version of a function as its newest");
}

Task<Reply> FunctionRoutes::list(RequestContext& context) {
  co_return Reply::list("functions", functions_.list(*context.project));
}

Task<Reply> FunctionRoutes::create(RequestContext& context, functions::NewFunction body) {
  CO_TRY(const functions::FunctionView view, co_await functions_.create(access(context), std::move(body)));
  co_return Reply::entity(201, "function", view);
}

Task<Reply> FunctionRoutes::one(RequestContext& context) {
  CO_TRY(const functions::FunctionView view, functions_.get(*context.project, context.param(0)));
  co_return Reply::entity(200, "function", view);
}

Task<Reply> FunctionRoutes::change(RequestContext& context, functions::FunctionPatch body) {
  CO_RETURN_IF_ERROR(co_await functions_.change(access(context), context.param(0), std::move(body)));
  co_return Reply::noContent();
}

Task<Reply> FunctionRoutes::remove(RequestContext& context) {
  CO_RETURN_IF_ERROR(co_await functions_.remove(access(context), context.param(0)));
  co_return Reply::noContent();
}

Task<Reply> FunctionRoutes::versions(RequestContext& context) {
  CO_TRY(const data::ReadQuery page, readQuery(context.request.query));
  const auto limit = static_cast<int64_t>(std::min<uint64_t>(page.limit, functions::kMaxVersions));
  CO_TRY(const std::vector<functions::VersionView> versions,
         co_await functions_.versions(context.project, context.param(0), limit));
  co_return Reply::list("versions", versions);
}

Task<Reply> FunctionRoutes::version(RequestContext& context) {
  CO_TRY(const functions::VersionView view,
         co_await functions_.version(context.project, context.param(0), versionIn(context.param(1))));
  co_return Reply::entity(200, "version", view);
}

Task<Reply> FunctionRoutes::rollback(RequestContext& context, functions::RollbackBody body) {
  CO_TRY(const functions::FunctionView view,
         co_await functions_.rollback(access(context), context.param(0), body.version));
  co_return Reply::entity(200, "function", view);
}

}  // namespace mb::api
