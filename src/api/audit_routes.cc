#include "api/audit_routes.h"

#include <algorithm>

#include "api/document_routes.h"
#include "base/cancellation.h"

namespace mb::api {

namespace {

constexpr uint64_t kMaxAuditRows = 200;
constexpr size_t kMaxText = 256;

// "" if the parameter is absent.
Result<std::string> textOf(const http::QueryParams& query, std::string_view name) {
  const auto given = query.get(name);
  if (!given) return std::string();
  if (given->empty() || given->size() > kMaxText || given->find('\0') != std::string_view::npos) {
    return fail(ErrorCode::invalidParam, fmt::format("{} must have 1 to {} characters", name, kMaxText));
  }
  return std::string(*given);
}

Result<std::optional<Timestamp>> timeOf(const http::QueryParams& query, std::string_view name) {
  const auto given = query.get(name);
  if (!given) return std::optional<Timestamp>();
  const auto time = parseRfc3339(*given);
  if (!time) return fail(ErrorCode::invalidParam, fmt::format("{} must be an RFC 3339 time", name));
  return time;
}

}  // namespace

Result<audit::JournalQuery> journalQuery(std::string_view rawQuery) {
  audit::JournalQuery query;
  TRY(const data::ReadQuery page, readQuery(rawQuery));
  query.skip = page.skip;
  query.limit = std::min(page.limit, kMaxAuditRows);
  TRY(const http::QueryParams params, http::QueryParams::parse(rawQuery));
  TRY(query.action, textOf(params, "action"));
  if (query.action == ".*") return fail(ErrorCode::invalidParam, "action must name something before \".*\"");
  TRY(query.actor, textOf(params, "actor"));
  TRY(query.target, textOf(params, "target"));
  TRY(query.from, timeOf(params, "from"));
  TRY(query.to, timeOf(params, "to"));
  return query;
}

void AuditRoutes::addTo(RouteTable& routes) {
  routes.get("/api/v1/admin/audit", admin("audit:read"), this, &AuditRoutes::ofProject, "Read the audit log");
  routes.get("/api/v1/control/audit", operators(), this, &AuditRoutes::ofInstance,
             "Read the audit log of the instance");
}

Task<Reply> AuditRoutes::ofProject(RequestContext& context) {
  return list(context, context.project->info().number);
}

Task<Reply> AuditRoutes::ofInstance(RequestContext& context) {
  return list(context, store::kControlProject);
}

Task<Reply> AuditRoutes::list(RequestContext& context, store::ProjectNo project) {
  co_await endWithClient();
  if (!on_) co_return fail(ErrorCode::notFound, "the audit log is not enabled on this deployment");
  CO_TRY(audit::JournalQuery query, journalQuery(context.request.query));
  CO_TRY(const std::vector<audit::AuditEntry> entries,
         co_await journal_.list(project, std::move(query), context.deadline));
  co_return Reply::list("entries", entries);
}

}  // namespace mb::api
