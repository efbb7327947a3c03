#include "audit/audit.h"

namespace mb::audit {

store::SystemCollection auditCollection() {
  // Listed newest first, all of them or those of one action.
  return {.number = kAuditCollection,
          .name = "__audit",
          .indexes = {{.name = "action_1_id_-1",
                       .keys = {{"action", 1}, {"id", -1}},
                       .partialFilter = std::nullopt,
                       .expireAfterSeconds = std::nullopt}}};
}

std::vector<store::Insert> Auditor::entry(store::ProjectNo project, std::string action, AuditActor actor,
                                          std::string target, std::string ip, std::string requestId,
                                          doc::Document details) {
  std::vector<store::Insert> inserts;
  if (!enabled_) return inserts;
  const AuditEntry entry{.id = ids_.next<AuditTag>(),
                         .at = clock_.now(),
                         .action = std::move(action),
                         .actor = std::move(actor),
                         .target = std::move(target),
                         .ip = std::move(ip),
                         .requestId = std::move(requestId),
                         .details = std::move(details)};
  inserts.push_back({{project, kAuditCollection, 0}, doc::encode(entry)});
  return inserts;
}

}  // namespace mb::audit
