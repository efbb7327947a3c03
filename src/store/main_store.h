// The store of a whole deployment, whichever engine it runs on: documents, changes, and what a server and its commands
// need besides.
#pragma once

#include "base/id.h"
#include "store/chain.h"
#include "store/change_feed.h"
#include "store/entry_fields.h"
#include "store/image.h"
#include "store/peers.h"
#include "store/store.h"

namespace mb::store {

struct CommitStats {
  uint64_t commits = 0;  // durable groups of writes
  uint64_t writes = 0;   // writes in these groups
};

// The result of a full scan.
struct CheckReport {
  uint64_t documents = 0;
  uint64_t indexEntries = 0;          // 0 where the database keeps them
  std::vector<std::string> problems;  // at most 100, each names collection, document and index
};

class MainStore : public DocumentStore, public ChangeFeed {
 public:
  // Refuses new work and ends running work. Not from a core. The destructor calls it.
  virtual void close() = 0;
  virtual CommitStats commitStats() const = 0;
  // A full consistency scan; on MongoDB without the counters, which recountCounters() compares. Blocks.
  virtual CheckReport check() = 0;
  // The durable head of the chain of a chained collection (chain.h). Blocks. Fails with internal or unavailable.
  virtual Result<ChainHead> chainHead(ProjectNo project, CollectionNo collection) = 0;
  // Later inserts follow `head`: for a restore, whose documents contain their chain fields.
  virtual Task<> restoreChain(ProjectNo project, CollectionNo collection, ChainHead head) = 0;
  // Creates a collection with its indexes without checking the limits of configuration, since a backup may be older
  // than a limit. `held`: as in EntryFields::holdFields(); all index entries hold these fields.
  virtual Task<CollectionInfo> restoreCollection(ProjectNo project, CollectionInfo collection,
                                                 std::vector<std::string> held) = 0;
  // The floor for IdGenerator::startAbove, durable from earlier runs. The store remembers the value of `ids` from then
  // on.
  virtual int64_t idFloorMs() const = 0;
  virtual void rememberIdsOf(const IdGenerator& ids) = 0;
  // What the store holds, of one moment; without `atOneMoment` of several, for a store that no other process writes.
  // It must not outlive the store. Blocks. Fails with conflict where checkpoints are made instead (EmbeddedStore).
  virtual Result<std::unique_ptr<Image>> image(bool atOneMoment) = 0;
  // Null where the engine's indexes hold keys only.
  virtual EntryFields* entryFields() { return nullptr; }
  // Null where one process at a time has the store.
  virtual Peers* peers() { return nullptr; }
};

}  // namespace mb::store
