#include "audit/audit.h"

namespace mb::audit {

namespace {

store::IndexSpec indexOn(std::vector<store::IndexKey> keys, bool sparse = false) {
  return {.name = store::defaultIndexName(keys),
          .keys = keys,
          .sparse = sparse,
          .partialFilter = std::nullopt,
          .expireAfterSeconds = std::nullopt};
}

}  // namespace

AuditSettings::AuditSettings(Settings& settings) {
  constexpr int64_t kMaxDays = 36'500;
  on = settings.flag("SERVICE_AUDIT", on, "write the audit log");
  days = settings.integer("SERVICE_AUDIT_DAYS", days, 0, kMaxDays,
                          "days after which audit entries are removed, 0 keeps all");
}

store::SystemCollection auditCollection() {
  // Listed newest first: all, or those of one action, actor or target. Verified and pruned in the order of the chain.
  return {.number = kAuditCollection,
          .name = "__audit",
          .indexes = {indexOn({{"at", -1}, {"id", -1}}), indexOn({{"action", 1}, {"at", -1}, {"id", -1}}),
                      indexOn({{"actor.id", 1}, {"at", -1}, {"id", -1}}),
                      indexOn({{"target", 1}, {"at", -1}, {"id", -1}}), indexOn({{"seq", 1}}, true)},
          .chained = true};
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
  inserts.push_back({.collection = {project, kAuditCollection, 0}, .document = doc::encode(entry), .idIsNew = true});
  return inserts;
}

std::vector<store::Insert> Auditor::failure(store::ProjectNo project, std::string action, AuditActor actor,
                                            std::string target, std::string ip, std::string requestId,
                                            doc::Document details) {
  if (!enabled_) return {};
  const std::optional<uint64_t> omitted = failures_.take(project);
  if (!omitted) return {};
  if (*omitted > 0) {
    doc::BsonWriter more;
    more.appendAll(details);
    more.appendInteger("omitted", static_cast<int64_t>(*omitted));
    details = more.finish();
  }
  return entry(project, std::move(action), std::move(actor), std::move(target), std::move(ip), std::move(requestId),
               std::move(details));
}

}  // namespace mb::audit
