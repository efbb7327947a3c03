// The embedded engine, on RocksDB. Key grammar: keys.h. Rules of writing, reading and space: docs/engine.md.
#pragma once

#include <filesystem>
#include <memory>

#include "base/cores.h"
#include "base/id.h"
#include "base/progress.h"
#include "base/settings.h"
#include "store/chain.h"
#include "store/change_feed.h"
#include "store/entry_fields.h"
#include "store/store.h"

namespace mb::store {

struct EmbeddedSettings {
  explicit EmbeddedSettings(Settings& settings);
  EmbeddedSettings() = default;  // defaults, for tests

  int64_t writeBufferBytes = 48LL << 20;
  int64_t blockCacheBytes = 48LL << 20;
  int64_t documentCacheBytes = 32LL << 20;
  int64_t maxLogFileBytes = 32LL << 20;  // the write-ahead log's share to replay after a crash
  int64_t minFreeDiskBytes = 256LL << 20;
  int64_t changeLogBytes = 256LL << 20;  // a project
  int64_t changeLogTotalBytes = 4LL << 30;
  int64_t changeLogHours = 24;
  int64_t slowQueryMs = 200;  // 0: none is logged
  // How many times a write's callback is run, of which the last counts: more than once for tests, since a store may.
  int callbackRuns = 1;
  int64_t scanSliceMs = 2000;  // the life of an iterator; no setting, shorter in tests
};

struct EmbeddedStats {
  uint64_t commits = 0;  // synced batches
  uint64_t writes = 0;   // writes they carried
};

// What `manybase check` found.
struct CheckReport {
  uint64_t documents = 0;
  uint64_t indexEntries = 0;
  std::vector<std::string> problems;  // at most 100, each names collection, document and index
};

// What a compaction did to the files it went over.
struct CompactReport {
  uint64_t bytesBefore = 0;
  uint64_t bytesAfter = 0;
};

class EmbeddedStore : public DocumentStore, public ChangeFeed, public EntryFields {
 public:
  // Opens or creates the database in `directory`/store. Fails with a line to show: the directory is in use by another
  // process, was written by a newer format, or is damaged (naming the file).
  static Result<std::unique_ptr<EmbeddedStore>> open(const std::filesystem::path& directory,
                                                     const EmbeddedSettings& settings, Cores& cores,
                                                     std::vector<SystemCollection> system, const Clock& clock);
  // Refuses new work, finishes what runs, flushes and closes. Not from a core. The destructor calls it.
  virtual void close() = 0;
  virtual EmbeddedStats embeddedStats() const = 0;
  // Full consistency scan on a snapshot: every document readable and under its key, each index entry matched by its
  // document and the reverse, counts right, unique indexes unique, the change log in order. Blocks.
  virtual CheckReport check() = 0;
  // A copy of the whole store as it is at one moment during the call, in the directory `to`, which must not exist: hard
  // links where the file system has them. All that was acknowledged before the call is in it. StoreImage reads it
  // (backup.h). Blocks.
  virtual Result<> checkpoint(const std::filesystem::path& to) = 0;
  // Rewrites all files, or those with keys of one project, without what was removed or replaced. Reads and writes go
  // on. Fails with unavailable when it is stopped, notFound for an unknown project. Blocks.
  virtual Result<CompactReport> compact(std::optional<ProjectNo> project, Progress& progress) = 0;
  // The durable end of the chain of a chained collection (chain.h). Reads the disk. Fails with internal.
  virtual Result<ChainHead> chainHead(ProjectNo project, CollectionNo collection) = 0;
  // What is inserted from here on follows `head`: for a restore, whose documents bring their places with them.
  virtual Task<> restoreChain(ProjectNo project, CollectionNo collection, ChainHead head) = 0;
  // The floor for IdGenerator::startAbove, durable from earlier runs. `ids` is asked at each commit for what to
  // remember.
  virtual int64_t idFloorMs() const = 0;
  virtual void rememberIdsOf(const IdGenerator& ids) = 0;
  // A collection as it was, with its indexes, past the limits of configuration: a backup may be of a time without them.
  // `held`: as EntryFields::holdFields() takes them; its entries hold them from the first on.
  virtual Task<CollectionInfo> restoreCollection(ProjectNo project, CollectionInfo collection,
                                                 std::vector<std::string> held) = 0;
};

}  // namespace mb::store
