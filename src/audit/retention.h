// How long audit entries stay: the oldest go, in the order of the chain, and each commit that removes some records what
// the last of them was. So the chain begins later, and says itself that it may.
#pragma once

#include <atomic>
#include <span>

#include "audit/audit.h"
#include "store/chain.h"

namespace mb::audit {

inline constexpr std::string_view kPruned = "audit.pruned";
// The last entry that was removed before this one was made; nullopt where it is no entry on pruning.
std::optional<store::ChainHead> prunedUpTo(doc::DocumentView entry);

class Retention {
 public:
  // All outlive it. `days`: 0 keeps all.
  Retention(store::DocumentStore& store, IdGenerator& ids, const Clock& clock, int64_t days)
      : store_(store), clock_(clock), days_(days), auditor_(true, ids, clock) {}

  // Removes what is too old, 200 entries a commit and 100 commits at most; gives how many went. Where nothing but
  // records of pruning is too old, all stay: else each pass would leave another.
  Task<uint64_t> prune(store::ProjectNo project);
  // prune() of each, with a line in the log for those that fail. Ends early once `stopping` is set.
  Task<> pass(std::vector<store::ProjectNo> projects, const std::atomic<bool>& stopping);

 private:
  Task<std::vector<doc::Document>> oldest(store::ProjectNo project);
  Task<> remove(store::ProjectNo project, std::span<const doc::Document> entries);

  store::DocumentStore& store_;
  const Clock& clock_;
  const int64_t days_;
  Auditor auditor_;  // records whether or not auditing is on: a chain that begins later has to say why
};

}  // namespace mb::audit
