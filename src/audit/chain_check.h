// Verifies a chain of audit entries (store/chain.h): takes its entries in the order of `seq` and reports the first
// problem. Keeps only the last entry in memory, so the number of entries is not bounded.
#pragma once

#include <optional>
#include <string>

#include "store/chain.h"

namespace mb::audit {

struct ChainReport {
  uint64_t entries = 0;           // in the chain
  uint64_t older = 0;             // written before entries were chained
  uint64_t pruned = 0;            // removed from the beginning by SERVICE_AUDIT_DAYS, as the chain records
  std::optional<Timestamp> from;  // time of the first entry of all, and of the last
  std::optional<Timestamp> to;
  store::ChainHead head;   // the recorded end
  bool foundHash = false;  // the expected hash is in the chain, or is that of the last entry pruned
  std::string problem;     // the first problem; empty when the chain is complete and unchanged
};

class ChainCheck {
 public:
  // `expected`: a hash that the chain must contain; see ChainReport::foundHash.
  explicit ChainCheck(std::optional<Digest> expected = std::nullopt) : expected_(expected) {}
  // Takes an entry from before the chain. REQUIRES: take() has not been called.
  void takeOlder(doc::DocumentView entry);
  // Takes the next entry by `seq`.
  void take(doc::DocumentView entry);
  // `documents`: the number of entries in all, with and without a chain position; `head`: the recorded end.
  ChainReport finish(uint64_t documents, const store::ChainHead& head);

 private:
  void report(std::string problem);
  void noteTime(doc::DocumentView entry);
  void checkStart(const store::ChainLink& link);
  void checkEnd(const store::ChainHead& head);

  const std::optional<Digest> expected_;
  ChainReport report_;
  store::ChainHead last_;
  std::string lastId_;
  // Where the first entry is not number 1: the entry before it, and whether an entry on pruning records its removal.
  std::optional<store::ChainHead> prunedHead_;
  bool pruneIsRecorded_ = false;
};

}  // namespace mb::audit
