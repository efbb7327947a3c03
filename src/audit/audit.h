// The audit record: what was done, by whom, to what. Written in the same commit as what it records.
#pragma once

#include "audit/failure_bound.h"
#include "base/id.h"
#include "base/settings.h"
#include "document/shape.h"
#include "store/store.h"

namespace mb::audit {

struct AuditSettings {
  explicit AuditSettings(Settings& settings);
  AuditSettings() = default;
  bool on = true;      // SERVICE_AUDIT
  int64_t days = 180;  // SERVICE_AUDIT_DAYS; 0 keeps all
};

// Chained: store/chain.h.
inline constexpr store::CollectionNo kAuditCollection = 1;
inline constexpr std::string_view kByPlace = "seq_1";  // its index in the order of the chain
store::SystemCollection auditCollection();

struct AuditActor {
  std::string kind;  // "platform", "member", "user", "apikey", "server", "anonymous"
  std::string id;
  std::optional<std::string> email;
  static constexpr auto shape() {
    return doc::shape<AuditActor>("AuditActor", doc::field("kind", &AuditActor::kind),
                                  doc::field("id", &AuditActor::id), doc::field("email", &AuditActor::email));
  }
};

struct AuditEntry {
  AuditId id;
  Timestamp at;
  std::string action;  // "policy.set", "user.block", …: <what>.<done>
  AuditActor actor;
  std::string target;  // "collections/posts", "users/user_…"
  std::string ip;
  std::string requestId;
  doc::Document details;  // never a secret
  static constexpr auto shape() {
    return doc::shape<AuditEntry>("AuditEntry", doc::field("id", &AuditEntry::id), doc::field("at", &AuditEntry::at),
                                  doc::field("action", &AuditEntry::action), doc::field("actor", &AuditEntry::actor),
                                  doc::field("target", &AuditEntry::target), doc::field("ip", &AuditEntry::ip),
                                  doc::field("requestId", &AuditEntry::requestId),
                                  doc::field("details", &AuditEntry::details));
  }
};

// Makes the insert that goes into the commit of what it records; nullopt when auditing is off (SERVICE_AUDIT=off).
class Auditor {
 public:
  Auditor(bool enabled, IdGenerator& ids, const Clock& clock) : enabled_(enabled), ids_(ids), clock_(clock) {}
  bool enabled() const { return enabled_; }
  std::vector<store::Insert> entry(store::ProjectNo project, std::string action, AuditActor actor, std::string target,
                                   std::string ip, std::string requestId, doc::Document details = {});
  // The same for what strangers can have recorded as often as they like: empty past the bound (failure_bound.h). What
  // was left out is counted as `omitted` in the details of the next.
  std::vector<store::Insert> failure(store::ProjectNo project, std::string action, AuditActor actor, std::string target,
                                     std::string ip, std::string requestId, doc::Document details);

 private:
  bool enabled_;
  IdGenerator& ids_;
  const Clock& clock_;
  FailureBound failures_{clock_};
};

}  // namespace mb::audit
