#include "api/config_routes.h"

namespace mb::api {

Result<bool> isDryRun(std::string_view rawQuery) {
  TRY(const http::QueryParams query, http::QueryParams::parse(rawQuery));
  const auto given = query.get("dryRun");
  if (!given || *given == "0") return false;
  if (*given == "1") return true;
  return fail(ErrorCode::invalidParam, "dryRun must be 0 or 1");
}

void ConfigRoutes::addTo(RouteTable& routes) {
  routes.get("/api/v1/admin/config-export", admin("config:manage"), this, &ConfigRoutes::exported,
             "Export the project's shape");
  routes
      .post("/api/v1/admin/config-import", admin("config:manage"), this, &ConfigRoutes::import,
            "Plan or import a project's shape")
      .maxBody = configuration::kMaxDocument;
}

Task<Reply> ConfigRoutes::exported(RequestContext& context) {
  CO_TRY(const doc::Document document, co_await configuration_.exported(context.project));
  co_return Reply::object(200, document.view());
}

Task<Reply> ConfigRoutes::import(RequestContext& context, doc::Document body) {
  CO_TRY(const bool dryRun, isDryRun(context.request.query));
  configuration::Target target{context.caller, context.project, context.deadline};
  auto answer = dryRun ? configuration_.plan(std::move(target), std::move(body))
                       : configuration_.import(std::move(target), std::move(body));
  CO_TRY(const doc::Document done, co_await std::move(answer));
  co_return Reply::object(200, done.view());
}

}  // namespace mb::api
