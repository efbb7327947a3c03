#include "store/embedded/database.h"

#include <rocksdb/cache.h>
#include <rocksdb/compaction_filter.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/perf_level.h>
#include <rocksdb/table.h>
#include <rocksdb/write_buffer_manager.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "base/log.h"
#include "store/embedded/corruption_check.h"
#include "store/embedded/keys.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
// RocksDB is built without the sanitizer, which therefore cannot see how RocksDB orders its accesses.
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() {
  return "race:librocksdb.so";
}
#endif
#endif

namespace mb::store::embedded {

namespace {

constexpr std::array<const char*, kFamilies> kFamilyNames = {"documents", "indexes", "log", "jobs", "system"};

// Forwards warnings and errors of RocksDB to the log; other lines are dropped.
class LogBridge final : public rocksdb::Logger {
 public:
  LogBridge() : Logger(rocksdb::InfoLogLevel::WARN_LEVEL) {}
  using Logger::Logv;
  void Logv(const char*, va_list) override {}
  void Logv(const rocksdb::InfoLogLevel level, const char* format, va_list arguments) override {
    if (level < rocksdb::InfoLogLevel::WARN_LEVEL || level == rocksdb::InfoLogLevel::HEADER_LEVEL) return;
    // A checkpoint disables file deletions twice, and RocksDB warns each time.
    if (std::string_view(format).find("File Deletions") != std::string_view::npos) return;
    std::array<char, 1024> line;
    std::vsnprintf(line.data(), line.size(), format, arguments);
    logWarn("RocksDB warning", {{"text", line.data()}});
  }
};

// Drops entries of the change log at or below their project's low-water mark.
class LogTrim final : public rocksdb::CompactionFilter {
 public:
  explicit LogTrim(const LowWaterOf& lowWater) : lowWater_(lowWater) {}
  const char* Name() const override { return "manybase.LogTrim"; }
  bool Filter(int, const rocksdb::Slice& key, const rocksdb::Slice&, std::string*, bool*) const override {
    const ProjectNo project = readU32(key.data());
    if (project != project_) {
      project_ = project;
      mark_ = lowWater_(project);
    }
    return readU64(key.data() + 4) <= mark_;
  }

 private:
  const LowWaterOf& lowWater_;
  mutable ProjectNo project_ = 0;
  mutable uint64_t mark_ = 0;
};

class LogTrimFactory final : public rocksdb::CompactionFilterFactory {
 public:
  explicit LogTrimFactory(LowWaterOf lowWater) : lowWater_(std::move(lowWater)) {}
  const char* Name() const override { return "manybase.LogTrimFactory"; }
  std::unique_ptr<rocksdb::CompactionFilter> CreateCompactionFilter(
      const rocksdb::CompactionFilter::Context&) override {
    return std::make_unique<LogTrim>(lowWater_);
  }

 private:
  const LowWaterOf lowWater_;
};

rocksdb::Env* testEnvironment = nullptr;

rocksdb::DBOptions databaseOptions(const EmbeddedSettings& settings) {
  rocksdb::DBOptions options;
  if (testEnvironment) options.env = testEnvironment;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.paranoid_checks = true;
  // Each group is synced before the next is written, so a crash can tear only the last record, which was not
  // acknowledged. This mode ends the replay there whatever the torn bytes are; kTolerateCorruptedTailRecords refuses to
  // open when a sector in the middle of the torn record is missing, as after a power loss.
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  options.track_and_verify_wals_in_manifest = true;
  options.wal_bytes_per_sync = 0;
  options.recycle_log_file_num = 0;
  options.max_total_wal_size = static_cast<uint64_t>(settings.maxLogFileBytes);
  options.avoid_flush_during_recovery = true;
  options.write_buffer_manager =
      std::make_shared<rocksdb::WriteBufferManager>(static_cast<size_t>(settings.writeBufferBytes));
  // Only one thread writes: there is nothing to merge, and plain memtable inserts cost less than concurrent ones.
  options.allow_concurrent_memtable_write = false;
  options.enable_write_thread_adaptive_yield = false;
  options.max_background_jobs = 2;
  options.max_subcompactions = 1;
  options.bytes_per_sync = 1 << 20;
  options.skip_stats_update_on_db_open = true;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  options.info_log = std::make_shared<LogBridge>();
  options.info_log_level = rocksdb::InfoLogLevel::WARN_LEVEL;
  return options;
}

rocksdb::ColumnFamilyOptions familyOptions(Family family, const std::shared_ptr<rocksdb::Cache>& cache,
                                           const LowWaterOf& lowWater) {
  rocksdb::ColumnFamilyOptions options;
  options.write_buffer_size = 16 << 20;
  options.max_write_buffer_number = 3;
  options.target_file_size_base = 16 << 20;
  options.level_compaction_dynamic_level_bytes = true;
  // The upper levels are read and rewritten soonest, so compression does not pay.
  options.compression = rocksdb::kNoCompression;
  options.bottommost_compression = rocksdb::kLZ4Compression;
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache;
  table.cache_index_and_filter_blocks = true;
  table.cache_index_and_filter_blocks_with_high_priority = true;
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  table.format_version = 5;
  if (family == Family::documents || family == Family::indexes) {
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
    table.whole_key_filtering = true;
  }
  if (family == Family::documents) {
    // A write of a new document first checks that the id is absent, which it mostly is.
    options.memtable_whole_key_filtering = true;
    options.memtable_prefix_bloom_size_ratio = 0.02;
    table.data_block_index_type = rocksdb::BlockBasedTableOptions::kDataBlockBinaryAndHash;
  }
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  if (family == Family::log || family == Family::traces) {
    // Written in order and deleted within a day: without compression RocksDB moves the files down instead of rewriting
    // them.
    options.bottommost_compression = rocksdb::kNoCompression;
    options.compaction_filter_factory = std::make_shared<LogTrimFactory>(lowWater);
    // Compacts files without new writes too, so that entries below the mark are dropped.
    options.periodic_compaction_seconds = 6 * 3600;
  }
  if (family == Family::traces || family == Family::system) options.write_buffer_size = 4 << 20;
  return options;
}

Error openError(const std::filesystem::path& directory, const rocksdb::Status& status) {
  std::string text = status.ToString();
  // RocksDB names a missing table by the suffix that it tries last, the historical .ldb.
  for (size_t at = 0; (at = text.find(".ldb", at)) != std::string::npos;) text.replace(at, 4, ".sst");
  if (status.IsIOError() && text.find("LOCK") != std::string::npos) {
    return Error(ErrorCode::unavailable, "the data directory is in use by another process");
  }
  if (status.IsCorruption()) return Error(ErrorCode::internal, "the database is corrupt: " + text);
  return Error(ErrorCode::internal, fmt::format("cannot open the database in {}: {}", directory.string(), text));
}

// A family that this version does not know was created by a newer version.
Result<> refuseNewer(const rocksdb::DBOptions& options, const std::filesystem::path& directory) {
  std::vector<std::string> present;
  if (!rocksdb::DB::ListColumnFamilies(options, directory.string(), &present).ok()) return {};
  for (const std::string& name : present) {
    const bool known = name == rocksdb::kDefaultColumnFamilyName ||
                       std::find(kFamilyNames.begin(), kFamilyNames.end(), name) != kFamilyNames.end();
    if (known) continue;
    return fail(
        ErrorCode::unavailable,
        "the data directory was written by a newer version of Manybase: start that version, or restore a backup "
        "that was made before the upgrade");
  }
  return {};
}

}  // namespace

void useFileSystem(std::shared_ptr<rocksdb::FileSystem> files) {
  // Never freed: RocksDB's own threads may still use a replaced environment.
  static auto& environments = *new std::vector<std::unique_ptr<rocksdb::Env>>();
  testEnvironment = files ? environments.emplace_back(rocksdb::NewCompositeEnv(files)).get() : nullptr;
}

namespace {

// The highest number of an OPTIONS-<number> file, which each opening for writing creates; 0 without such a file.
uint64_t newestOptions(const std::filesystem::path& directory) {
  constexpr std::string_view kPrefix = "OPTIONS-";
  uint64_t newest = 0;
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(directory, error)) {
    const std::string name = file.path().filename().string();
    if (!name.starts_with(kPrefix)) continue;
    uint64_t number = 0;
    const auto [end, failed] = std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), number);
    if (failed == std::errc() && end == name.data() + name.size()) newest = std::max(newest, number);
  }
  return newest;
}

}  // namespace

Result<std::unique_ptr<Database>> Database::open(const std::filesystem::path& directory,
                                                 const EmbeddedSettings& settings, LowWaterOf lowWater, Mode mode) {
  std::error_code error;
  if (mode == Mode::write) std::filesystem::create_directories(directory, error);
  if (error) return fail(ErrorCode::internal, fmt::format("cannot create {}: {}", directory.string(), error.message()));
  const rocksdb::DBOptions options = databaseOptions(settings);
  RETURN_IF_ERROR(refuseCorruptFiles(directory));
  RETURN_IF_ERROR(refuseNewer(options, directory));

  rocksdb::LRUCacheOptions cacheOptions;
  cacheOptions.capacity = static_cast<size_t>(settings.blockCacheBytes);
  cacheOptions.num_shard_bits = 3;
  cacheOptions.high_pri_pool_ratio = 0.3;
  const auto cache = rocksdb::NewLRUCache(cacheOptions);
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
  for (size_t i = 0; i < kFamilies; ++i) {
    descriptors.emplace_back(kFamilyNames[i], familyOptions(static_cast<Family>(i), cache, lowWater));
  }
  descriptors.emplace_back(rocksdb::kDefaultColumnFamilyName, familyOptions(Family::system, cache, lowWater));

  const uint64_t openingBefore = newestOptions(directory);
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* db = nullptr;
  const rocksdb::Status status =
      mode == Mode::read ? rocksdb::DB::OpenForReadOnly(options, directory.string(), descriptors, &handles, &db)
                         : rocksdb::DB::Open(options, directory.string(), descriptors, &handles, &db);
  if (!status.ok()) return fail(openError(directory, status));
  std::unique_ptr<Database> database(new Database);
  database->db_.reset(db);
  database->openingBefore_ = openingBefore;
  database->opening_ = mode == Mode::write ? newestOptions(directory) : 0;
  database->documents_ = std::make_unique<DocumentCache>(static_cast<size_t>(settings.documentCacheBytes));
  std::copy_n(handles.begin(), kFamilies, database->families_.begin());
  db->DestroyColumnFamilyHandle(handles.back());
  return database;
}

Database::~Database() {
  if (!db_) return;
  rocksdb::CancelAllBackgroundWork(db_.get(), true);
  for (rocksdb::ColumnFamilyHandle* handle : families_) db_->DestroyColumnFamilyHandle(handle);
}

rocksdb::ReadOptions Database::reading(Tier tier) {
  // Maintaining the thread's performance counters costs more than some comparisons.
  thread_local const bool uncounted = (rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable), true);
  static_cast<void>(uncounted);
  rocksdb::ReadOptions options;
  options.read_tier = tier == Tier::memory ? rocksdb::kBlockCacheTier : rocksdb::kReadAllTier;
  return options;
}

Database::DocumentRead Database::document(Tier tier, std::string_view key, bool keep) {
  DocumentRead read;
  DocumentCache::Ticket ticket;
  if (documents_->find(key, DocumentCache::kLatest, read.bytes, read.version, ticket)) return read;
  rocksdb::PinnableSlice value;
  read.status = get(tier, Family::documents, key, &value);
  if (!read.status.ok()) return read;
  const StoredDocument stored = splitStored(view(value));
  read.bytes = stored.bson;
  read.version = stored.version;
  if (keep) documents_->fill(key, stored, db_->GetLatestSequenceNumber(), ticket);
  return read;
}

rocksdb::Status Database::get(Tier tier, Family family, std::string_view key, rocksdb::PinnableSlice* value) {
  return db_->Get(reading(tier), this->family(family), slice(key), value);
}

void Database::getMany(const rocksdb::ReadOptions& options, Family family, std::span<const rocksdb::Slice> keys,
                       std::span<rocksdb::PinnableSlice> values, std::span<rocksdb::Status> statuses) {
  if (options.read_tier != rocksdb::kBlockCacheTier) {
    db_->MultiGet(options, this->family(family), keys.size(), keys.data(), values.data(), statuses.data(), false);
    return;
  }
  // MultiGet does not honour the memory tier: it reads blocks that are not cached. For a key that may be in an uncached
  // block (1 in 100 of those between two keys of a file) it returns ok with an empty value.
  size_t bytes = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (bytes > options.value_size_soft_limit) {
      statuses[i] = rocksdb::Status::Aborted();
      continue;
    }
    statuses[i] = db_->Get(options, this->family(family), keys[i], &values[i]);
    bytes += values[i].size();
    if (!statuses[i].IsIncomplete()) continue;
    std::ranges::fill(statuses.subspan(i).first(keys.size() - i), statuses[i]);
    return;
  }
}

void Database::write(rocksdb::WriteBatch& batch) {
  rocksdb::WriteOptions options;
  options.sync = true;
  const rocksdb::Status status = db_->Write(options, &batch);
  if (!status.ok()) stopProcess("a write", status);
}

void Database::dropRange(Family family, std::string_view from, std::string_view to) {
  rocksdb::WriteBatch batch;
  batch.DeleteRange(this->family(family), slice(from), slice(to));
  write(batch);
  const rocksdb::Slice begin = slice(from);
  const rocksdb::Slice end = slice(to);
  const rocksdb::Status status = rocksdb::DeleteFilesInRange(db_.get(), this->family(family), &begin, &end, false);
  if (!status.ok()) logWarn("freeing the files of a dropped range failed", {{"reason", status.ToString()}});
}

void Database::flush() {
  const rocksdb::Status status = db_->Flush({}, {families_.begin(), families_.end()});
  if (!status.ok()) logWarn("flushing the database failed", {{"reason", status.ToString()}});
}

Error readError(const rocksdb::Status& status) {
  return Error(ErrorCode::internal, "the store could not be read").withCause(status.ToString());
}

void stopProcess(std::string_view what, const rocksdb::Status& status) {
  static std::atomic_flag ending;
  if (ending.test_and_set()) {
    while (true) ::pause();
  }
  const std::string reason = status.ToString();
  logError("the store failed; the process ends before it acknowledges a write that is not durable",
           {{"failed", what}, {"reason", reason}});
  std::_Exit(kStoreFailedExit);
}

}  // namespace mb::store::embedded
