#include "api/cost_routes.h"

#include "base/cancellation.h"
#include "base/text.h"

namespace mb::api {

namespace {

bool takesCsv(const http::Request& request) {
  const auto accept = request.header("accept");
  return accept && lowerAscii(*accept).find("text/csv") != std::string::npos;
}

Reply csvReply(const billing::CostReport& report, const billing::CostRange& range) {
  Reply reply{http::Response::text(200, "text/csv; charset=utf-8", billing::csvOf(report))};
  reply.response.headers.emplace_back(
      "content-disposition",
      fmt::format("attachment; filename=\"costs-{}-{}.csv\"", billing::textOf(range.from), billing::textOf(range.to)));
  return reply;
}

}  // namespace

void CostRoutes::addTo(RouteTable& routes) {
  routes.get("/api/v1/control/admin/costs", operators(), this, &CostRoutes::costs,
             "What each project cost between two days");
}

Task<Reply> CostRoutes::costs(RequestContext& context) {
  co_await endWithClient();
  CO_TRY(const http::QueryParams query, http::QueryParams::parse(context.request.query));
  CO_TRY(const billing::CostRange range, billing::costRangeOf(query.get("from"), query.get("to")));
  const bool csv = takesCsv(context.request);
  CO_TRY(const billing::CostReport report, co_await costs_.report(range, context.deadline));
  // With many projects the text takes long.
  co_return co_await context.parsing.run(
      "control", [&]() -> Result<Reply> { return csv ? csvReply(report, range) : Reply::object(200, report); });
}

}  // namespace mb::api
