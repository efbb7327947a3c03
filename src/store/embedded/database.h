// The one RocksDB database of the store: its options, its column families, its errors. Only this module's sources
// include this header.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/file_system.h>
#include <rocksdb/write_batch.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <span>

#include "store/embedded/document_cache.h"
#include "store/embedded/embedded_store.h"

namespace mb::store::embedded {

// `traces` is called "jobs" on disk: older versions created a family of that name, and left it empty.
enum class Family : uint8_t { documents, indexes, log, traces, system };
inline constexpr size_t kFamilies = 5;

// The storage that a read may use: memory only, or the disk too. A memory read never blocks; it returns Incomplete if
// it needs the disk.
enum class Tier { memory, disk };

inline rocksdb::Slice slice(std::string_view bytes) {
  return {bytes.data(), bytes.size()};
}
inline std::string_view view(const rocksdb::Slice& bytes) {
  return {bytes.data(), bytes.size()};
}

// The low-water mark of a project: its highest trimmed log position; UINT64_MAX for a dropped project. Any thread,
// without waiting.
using LowWaterOf = std::function<uint64_t(ProjectNo)>;

// For tests: databases opened from now on use `files`; null restores the real file system.
void useFileSystem(std::shared_ptr<rocksdb::FileSystem> files);

class Database {
 public:
  enum class Mode { write, read };
  // Opens or creates the database; for reading, opens an existing one and changes nothing. Errors are complete
  // messages.
  static Result<std::unique_ptr<Database>> open(const std::filesystem::path& directory,
                                                const EmbeddedSettings& settings, LowWaterOf lowWater,
                                                Mode mode = Mode::write);
  ~Database();

  rocksdb::DB& db() { return *db_; }
  rocksdb::ColumnFamilyHandle* family(Family family) const { return families_[static_cast<size_t>(family)]; }
  static rocksdb::ReadOptions reading(Tier tier);

  rocksdb::Status get(Tier tier, Family family, std::string_view key, rocksdb::PinnableSlice* value);
  // Reads each key into its slot. With Tier::memory the first key that is not in memory makes all later ones Incomplete
  // too; past options.value_size_soft_limit they are Aborted.
  void getMany(const rocksdb::ReadOptions& options, Family family, std::span<const rocksdb::Slice> keys,
               std::span<rocksdb::PinnableSlice> values, std::span<rocksdb::Status> statuses);
  // `bytes` and `version` are set if the status is ok.
  struct DocumentRead {
    rocksdb::Status status;
    std::string bytes;
    DocumentVersion version = 0;
  };
  // The current document under `key`: from the cache, else read, and cached if `keep`.
  DocumentRead document(Tier tier, std::string_view key, bool keep = true);
  DocumentCache& documents() { return *documents_; }
  // Writes and syncs. Every record of the log is synced before the next is written, so only the last one can be torn:
  // refuseCorruptFiles() depends on it.
  void write(rocksdb::WriteBatch& batch);
  // Deletes the range [from, to) with one range deletion, for large ranges.
  void dropRange(Family family, std::string_view from, std::string_view to);
  void flush();
  // The number of RocksDB's newest options file, which increases with each opening for writing by any version: before
  // this opening (0 for a new database) and since it (0 if opened for reading).
  uint64_t openingBefore() const { return openingBefore_; }
  uint64_t opening() const { return opening_; }

 private:
  Database() = default;
  uint64_t openingBefore_ = 0;
  uint64_t opening_ = 0;
  std::array<rocksdb::ColumnFamilyHandle*, kFamilies> families_{};
  std::unique_ptr<rocksdb::DB> db_;
  std::unique_ptr<DocumentCache> documents_;
};

// The error of a read that failed for another reason than absence: corruption or a broken disk.
Error readError(const rocksdb::Status& status);
// Logs one line and ends the process. After a failed write or sync the state of the disk is unknown.
inline constexpr int kStoreFailedExit = 74;
[[noreturn]] void stopProcess(std::string_view what, const rocksdb::Status& status);

// Owns a snapshot and releases it.
class SnapshotHold {
 public:
  explicit SnapshotHold(rocksdb::DB& db) : db_(db), snapshot_(db.GetSnapshot()) {}
  SnapshotHold(const SnapshotHold&) = delete;
  SnapshotHold& operator=(const SnapshotHold&) = delete;
  ~SnapshotHold() { db_.ReleaseSnapshot(snapshot_); }
  const rocksdb::Snapshot* get() const { return snapshot_; }

 private:
  rocksdb::DB& db_;
  const rocksdb::Snapshot* snapshot_;
};

}  // namespace mb::store::embedded
