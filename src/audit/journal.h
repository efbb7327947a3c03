// Reads the audit log of a project, or of the instance (the control plane's own project).
#pragma once

#include "audit/audit.h"

namespace mb::audit {

struct JournalQuery {
  std::string action;             // exact, or with a trailing ".*" a prefix; empty: all
  std::string actor;              // the actor's id; empty: all
  std::string target;             // exact; empty: all
  std::optional<Timestamp> from;  // at or after
  std::optional<Timestamp> to;    // at or before
  uint64_t skip = 0;
  uint64_t limit = 50;
};

class Journal {
 public:
  explicit Journal(store::DocumentStore& store) : store_(store) {}
  // Newest first.
  Task<std::vector<AuditEntry>> list(store::ProjectNo project, JournalQuery query, store::Deadline deadline);

 private:
  store::DocumentStore& store_;
};

}  // namespace mb::audit
