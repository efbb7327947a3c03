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
  int64_t maxLogFileBytes = 32LL << 20;  // size of the write-ahead log to replay after a crash
  int64_t minFreeDiskBytes = 256LL << 20;
  int64_t changeLogBytes = 256LL << 20;  // per project
  int64_t changeLogTotalBytes = 4LL << 30;
  int64_t changeLogHours = 24;
  int64_t slowQueryMs = 200;  // 0: none are logged
  // How many times a write's callback runs; the last run counts. More than once for tests, since a store may do so.
  int callbackRuns = 1;
  int64_t scanSliceMs = 2000;  // the lifetime of an iterator; not a setting, shorter in tests
};

struct EmbeddedStats {
  uint64_t commits = 0;  // synced batches
  uint64_t writes = 0;   // writes in these batches
};

// The result of `manybase check`.
struct CheckReport {
  uint64_t documents = 0;
  uint64_t indexEntries = 0;
  std::vector<std::string> problems;  // at most 100, each names collection, document and index
};

// The size of the compacted files before and after.
struct CompactReport {
  uint64_t bytesBefore = 0;
  uint64_t bytesAfter = 0;
};

class EmbeddedStore : public DocumentStore, public ChangeFeed, public EntryFields {
 public:
  // Opens or creates the database in `directory`/store. Fails with a complete message if the directory is in use by
  // another process, was written by a newer format, or is corrupt (names the file).
  static Result<std::unique_ptr<EmbeddedStore>> open(const std::filesystem::path& directory,
                                                     const EmbeddedSettings& settings, Cores& cores,
                                                     std::vector<SystemCollection> system, const Clock& clock);
  // Refuses new work, finishes running work, flushes and closes. Not from a core. The destructor calls it.
  virtual void close() = 0;
  virtual EmbeddedStats embeddedStats() const = 0;
  // A full consistency scan on a snapshot: every document is readable and stored under its key, each index entry
  // belongs to its document and the reverse, counts are right, unique indexes are unique, the change log is in order.
  // Blocks.
  virtual CheckReport check() = 0;
  // A copy of the whole store at one moment during the call, in the directory `to`, which must not exist; hard links if
  // the file system supports them. It contains all writes acknowledged before the call. StoreImage reads it (backup.h).
  // Blocks.
  virtual Result<> checkpoint(const std::filesystem::path& to) = 0;
  // Rewrites all files, or those with keys of one project, without removed and replaced data. Reads and writes
  // continue. Fails with unavailable when it is stopped, notFound for an unknown project. Blocks.
  virtual Result<CompactReport> compact(std::optional<ProjectNo> project, Progress& progress) = 0;
  // The durable head of the chain of a chained collection (chain.h). Reads the disk. Fails with internal.
  virtual Result<ChainHead> chainHead(ProjectNo project, CollectionNo collection) = 0;
  // Later inserts follow `head`: for a restore, whose documents contain their chain fields.
  virtual Task<> restoreChain(ProjectNo project, CollectionNo collection, ChainHead head) = 0;
  // The floor for IdGenerator::startAbove, durable from earlier runs. Each commit reads from `ids` the value to
  // remember.
  virtual int64_t idFloorMs() const = 0;
  virtual void rememberIdsOf(const IdGenerator& ids) = 0;
  // Creates a collection with its indexes without checking the limits of configuration, since a backup may be older
  // than a limit. `held`: as in EntryFields::holdFields(); all index entries hold these fields.
  virtual Task<CollectionInfo> restoreCollection(ProjectNo project, CollectionInfo collection,
                                                 std::vector<std::string> held) = 0;
};

}  // namespace mb::store
