#include "api/config_routes.h"

namespace mb::api {

namespace {

constexpr size_t kDigestLength = 64;  // sha256 in hex

}  // namespace

Result<bool> flagIn(const http::QueryParams& query, std::string_view name) {
  const auto given = query.get(name);
  if (given && *given != "0" && *given != "1") {
    return fail(ErrorCode::invalidParam, fmt::format("{} must be 0 or 1", name));
  }
  return given && *given == "1";
}

Result<projects::ImportMode> importModeOf(std::string_view rawQuery) {
  TRY(const http::QueryParams query, http::QueryParams::parse(rawQuery));
  projects::ImportMode mode;
  TRY(mode.dryRun, flagIn(query, "dryRun"));
  TRY(mode.allowMissing, flagIn(query, "allowMissing"));
  TRY(mode.skipTests, flagIn(query, "skipTests"));
  if (const auto digest = query.get("plan")) {
    const bool hex = digest->find_first_not_of("0123456789abcdef") == std::string_view::npos;
    if (digest->size() != kDigestLength || !hex) {
      return fail(ErrorCode::invalidParam, "plan must be the plan-digest of a dry run: take it from that header");
    }
    mode.planDigest = *digest;
  }
  return mode;
}

Reply importReply(const doc::Document& result, bool dryRun) {
  Reply reply = Reply::object(200, result.view());
  const auto plan = result.view().find("plan");
  if (dryRun && plan && plan->type() == doc::BsonType::document) {
    reply.response.headers.emplace_back("plan-digest", configuration::planDigestOf(plan->asDocument()));
  }
  return reply;
}

void ConfigRoutes::addTo(RouteTable& routes) {
  routes.get("/api/v1/admin/config-export", admin("config:manage"), this, &ConfigRoutes::exported,
             "Export the project's configuration");
  routes
      .post("/api/v1/admin/config-import", admin("config:manage"), this, &ConfigRoutes::import,
            "Plan or import a project's configuration")
      .maxBody = configuration::kMaxDocument;
}

Task<Reply> ConfigRoutes::exported(RequestContext& context) {
  CO_TRY(const doc::Document document, co_await configuration_.exported(context.project));
  co_return co_await context.parsing.run(context.project->info().id.str(),
                                         [&]() -> Result<Reply> { return Reply::object(200, document.view()); });
}

Task<Reply> ConfigRoutes::import(RequestContext& context, doc::Document body) {
  CO_TRY(projects::ImportMode mode, importModeOf(context.request.query));
  configuration::Target target{context.caller, context.project, context.deadline};
  auto task = mode.dryRun ? configuration_.plan(std::move(target), std::move(body), mode)
                          : configuration_.import(std::move(target), std::move(body), mode);
  CO_TRY(const doc::Document done, co_await std::move(task));
  const auto write = [&]() -> Result<Reply> { return importReply(done, mode.dryRun); };
  if (mode.dryRun || !context.hasLargeBody()) co_return co_await context.parsed(write);
  co_return co_await context.parsing.runOrHere(context.project->info().id.str(), write);
}

}  // namespace mb::api
