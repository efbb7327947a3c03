// Whether a chain of audit entries (store/chain.h) is whole: given its entries in the order of `seq`, tells the first
// thing that is wrong. Keeps nothing of what it has seen but the last, so any number of entries may pass.
#pragma once

#include <optional>
#include <string>

#include "store/chain.h"

namespace mb::audit {

struct ChainReport {
  uint64_t entries = 0;           // in the chain
  uint64_t older = 0;             // made before there was a chain
  uint64_t pruned = 0;            // gone from its beginning by the setting, as the chain itself says
  std::optional<Timestamp> from;  // the first of all and the last
  std::optional<Timestamp> to;
  store::ChainHead head;   // the recorded end
  bool foundHash = false;  // the one that was looked for is in it, or is that of the last entry pruned
  std::string problem;     // the first thing wrong; empty where it is whole
};

class ChainCheck {
 public:
  // `looked`: a hash to be found in it.
  explicit ChainCheck(std::optional<Digest> looked = std::nullopt) : looked_(looked) {}
  // An entry from before the chain; all of them before the first take().
  void takeOlder(doc::DocumentView entry);
  // The next by `seq`.
  void take(doc::DocumentView entry);
  // `documents`: how many entries there are in all, with and without a place; `head`: the recorded end.
  ChainReport finish(uint64_t documents, const store::ChainHead& head);

 private:
  void found(std::string problem);
  void noteTime(doc::DocumentView entry);
  void checkStart(const store::ChainLink& link);
  void checkEnd(const store::ChainHead& head);

  const std::optional<Digest> looked_;
  ChainReport report_;
  store::ChainHead last_;
  std::string lastId_;
  // Where the first entry is not number 1: what has to be before it, and whether an entry on pruning says so.
  std::optional<store::ChainHead> cut_;
  bool cutIsRecorded_ = false;
};

}  // namespace mb::audit
