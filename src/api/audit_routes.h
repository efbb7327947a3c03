// GET /api/v1/admin/audit of a project and GET /api/v1/control/audit of the instance. Source: contract 4.5; decisions
// 6, 8.
#pragma once

#include "api/routes.h"
#include "audit/journal.h"

namespace mb::api {

class AuditRoutes {
 public:
  // `on`: SERVICE_AUDIT; both routes are 404 where it is off.
  AuditRoutes(store::DocumentStore& store, bool on) : journal_(store), on_(on) {}
  void addTo(RouteTable& routes);

  Task<Reply> ofProject(RequestContext& context);
  Task<Reply> ofInstance(RequestContext& context);

 private:
  Task<Reply> list(RequestContext& context, store::ProjectNo project);

  audit::Journal journal_;
  const bool on_;
};

// The query of both: action, actor, target, from, to, limit, skip; anything else is ignored. Fails with invalidParam.
Result<audit::JournalQuery> journalQuery(std::string_view rawQuery);

}  // namespace mb::api
