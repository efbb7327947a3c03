// Removes old audit entries, oldest first in the order of the chain. Each commit that removes some records the last of
// them, so a chain that begins later than entry 1 can be verified.
#pragma once

#include <atomic>
#include <span>

#include "audit/audit.h"
#include "store/chain.h"

namespace mb::audit {

inline constexpr std::string_view kPruned = "audit.pruned";
// The last entry that was removed before `entry` was written; nullopt where `entry` is not an entry on pruning.
std::optional<store::ChainHead> prunedUpTo(doc::DocumentView entry);

class Retention {
 public:
  // The references outlive this object. `days`: 0 keeps all entries.
  Retention(store::DocumentStore& store, IdGenerator& ids, const Clock& clock, int64_t days)
      : store_(store), clock_(clock), days_(days), auditor_(true, ids, clock) {}

  // Removes entries older than the limit, 200 per commit and 100 commits at most; returns their number. Where only
  // records of pruning are too old, all stay: otherwise each pass would write another.
  Task<uint64_t> prune(store::ProjectNo project);
  // Calls prune() for each project and logs a warning for those that fail. Ends early once `stopping` is set.
  Task<> pass(std::vector<store::ProjectNo> projects, const std::atomic<bool>& stopping);

 private:
  Task<std::vector<doc::Document>> oldest(store::ProjectNo project);
  Task<> remove(store::ProjectNo project, std::span<const doc::Document> entries);

  store::DocumentStore& store_;
  const Clock& clock_;
  const int64_t days_;
  Auditor auditor_;  // always on, whatever SERVICE_AUDIT says: a chain that begins later needs the record of it
};

}  // namespace mb::audit
