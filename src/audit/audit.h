// The audit log: which actor performed which action on which target. Each entry is written in the commit of the
// change that it records.
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
  int64_t days = 180;  // SERVICE_AUDIT_DAYS; 0 keeps all entries
};

// Chained: store/chain.h.
inline constexpr store::CollectionNo kAuditCollection = 1;
inline constexpr std::string_view kByPlace = "seq_1";  // the index in chain order
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

// Builds audit entries as inserts for the commit that they record; no insert when auditing is off (SERVICE_AUDIT=off).
class Auditor {
 public:
  Auditor(bool enabled, IdGenerator& ids, const Clock& clock) : enabled_(enabled), ids_(ids), clock_(clock) {}
  bool enabled() const { return enabled_; }
  std::vector<store::Insert> entry(store::ProjectNo project, std::string action, AuditActor actor, std::string target,
                                   std::string ip, std::string requestId, doc::Document details = {});
  // As entry(), for actions that unauthenticated clients can repeat at will: empty past the bound (failure_bound.h).
  // The next entry has the number of those left out as `omitted` in its details.
  std::vector<store::Insert> failure(store::ProjectNo project, std::string action, AuditActor actor, std::string target,
                                     std::string ip, std::string requestId, doc::Document details);

 private:
  bool enabled_;
  IdGenerator& ids_;
  const Clock& clock_;
  FailureBound failures_{clock_};
};

}  // namespace mb::audit
