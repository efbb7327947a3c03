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

enum class Family : uint8_t { documents, indexes, log, jobs, system };
inline constexpr size_t kFamilies = 5;

// Where a read may look: what is in memory, or the disk too. The first never blocks; it ends in Incomplete where the
// disk would be needed.
enum class Tier { memory, disk };

inline rocksdb::Slice slice(std::string_view bytes) {
  return {bytes.data(), bytes.size()};
}
inline std::string_view view(const rocksdb::Slice& bytes) {
  return {bytes.data(), bytes.size()};
}

// The highest log position of a project that is gone; UINT64_MAX for a dropped project. Any thread, without waiting.
using LowWaterOf = std::function<uint64_t(ProjectNo)>;

// For tests: databases that are opened from here on work through `files`; null for the real file system again.
void useFileSystem(std::shared_ptr<rocksdb::FileSystem> files);

class Database {
 public:
  enum class Mode { write, read };
  // Opens or creates; for reading, opens what is there and changes nothing. Errors are lines to show.
  static Result<std::unique_ptr<Database>> open(const std::filesystem::path& directory,
                                                const EmbeddedSettings& settings, LowWaterOf lowWater,
                                                Mode mode = Mode::write);
  ~Database();

  rocksdb::DB& db() { return *db_; }
  rocksdb::ColumnFamilyHandle* family(Family family) const { return families_[static_cast<size_t>(family)]; }
  static rocksdb::ReadOptions reading(Tier tier);

  rocksdb::Status get(Tier tier, Family family, std::string_view key, rocksdb::PinnableSlice* value);
  // Each into the place of its key. With the memory's tier the first that is not there makes all behind it Incomplete
  // too; past options.value_size_soft_limit they are Aborted.
  void getMany(const rocksdb::ReadOptions& options, Family family, std::span<const rocksdb::Slice> keys,
               std::span<rocksdb::PinnableSlice> values, std::span<rocksdb::Status> statuses);
  // The document under `key` as it is now: from the cache, else read, and cached where `keep`; unchanged `out` unless
  // ok.
  rocksdb::Status document(Tier tier, std::string_view key, std::string& out, bool keep = true);
  DocumentCache& documents() { return *documents_; }
  // Writes and syncs. Every record of the log is synced before the next is written, so that only the last can be torn:
  // refuseCorruptFiles() counts on it.
  void write(rocksdb::WriteBatch& batch);
  // Drops the range [from, to) in one go, as engine.md 3.3 has it for large ones.
  void dropRange(Family family, std::string_view from, std::string_view to);
  void flush();
  // A number that grows with each opening for writing, by whatever version: that of RocksDB's newest options file, as
  // it was before this opening (0: there was none) and as it is since (0 where it was opened for reading).
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

// A read that failed for another reason than absence: damage or a broken disk.
Error readError(const rocksdb::Status& status);
// After a failed write or sync nobody knows what is on the disk: says so in one line and ends the process.
inline constexpr int kStoreFailedExit = 74;
[[noreturn]] void stopProcess(std::string_view what, const rocksdb::Status& status);

// A snapshot that is given back.
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
