// The embedded engine, on RocksDB. Key grammar: keys.h. Rules of writing, reading and space: docs/engine.md.
#pragma once

#include <filesystem>
#include <memory>

#include "base/cores.h"
#include "base/progress.h"
#include "base/settings.h"
#include "store/main_store.h"

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

// The size of the compacted files before and after.
struct CompactReport {
  uint64_t bytesBefore = 0;
  uint64_t bytesAfter = 0;
};

class EmbeddedStore : public MainStore, public EntryFields {
 public:
  // Opens or creates the database in `directory`/store. Fails with a complete message if the directory is in use by
  // another process, was written by a newer format, or is corrupt (names the file).
  static Result<std::unique_ptr<EmbeddedStore>> open(const std::filesystem::path& directory,
                                                     const EmbeddedSettings& settings, Cores& cores,
                                                     std::vector<SystemCollection> system, const Clock& clock);
  // Creates the database in `directory`/store, which must not exist: with the projects, collections, indexes, chains
  // and change logs of the image, under their numbers, and without documents. Blocks. Fails with a complete message.
  static Result<> createLike(const Image& source, const std::filesystem::path& directory, Progress& progress);
  // A copy of the whole store at one moment during the call, in the directory `to`, which must not exist; hard links if
  // the file system supports them. It contains all writes acknowledged before the call. StoreImage reads it (backup.h).
  // Blocks.
  virtual Result<> checkpoint(const std::filesystem::path& to) = 0;
  // Rewrites all files, or those with keys of one project, without removed and replaced data. Reads and writes
  // continue. Fails with unavailable when it is stopped, notFound for an unknown project. Blocks.
  virtual Result<CompactReport> compact(std::optional<ProjectNo> project, Progress& progress) = 0;
  EntryFields* entryFields() override { return this; }
};

}  // namespace mb::store
