// GET /api/v1/admin/audit of a project and GET /api/v1/control/audit of the instance (docs/api.md, The audit log).
#pragma once

#include "api/routes.h"
#include "audit/journal.h"

namespace mb::api {

class AuditRoutes {
 public:
  // `on`: SERVICE_AUDIT; if it is off, both routes respond 404.
  AuditRoutes(store::DocumentStore& store, bool on) : journal_(store), on_(on) {}
  void addTo(RouteTable& routes);

  Task<Reply> ofProject(RequestContext& context);
  Task<Reply> ofInstance(RequestContext& context);

 private:
  Task<Reply> list(RequestContext& context, store::ProjectNo project);

  audit::Journal journal_;
  const bool on_;
};

// Parses the query of both: action, actor, target, from, to, limit, skip; other parameters are ignored. Fails with
// invalidParam.
Result<audit::JournalQuery> journalQuery(std::string_view rawQuery);

}  // namespace mb::api
