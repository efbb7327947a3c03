// A new database with the frame of another store: everything but documents and what follows from them. It is written
// while no engine has it open; the engine then finds it as if it had written it.
#include "base/files.h"
#include "store/embedded/catalogue.h"
#include "store/embedded/change_log.h"
#include "store/embedded/keys.h"

namespace mb::store::embedded {

namespace {

constexpr size_t kCreationBatchBytes = 1 << 20;

class Creation {
 public:
  Creation(const Image& source, Database& database, std::filesystem::path directory, Progress& progress)
      : source_(source), database_(database), directory_(std::move(directory)), progress_(progress) {}

  Result<> run() {
    const StoreNumbers numbers = source_.numbers();
    RETURN_IF_ERROR(checkSpace());
    put(row::plain(row::kNextNumbers), u32(numbers.nextProject) + u32(kFirstSystemIndex));
    put(row::plain(row::kIdFloor), u64(static_cast<uint64_t>(numbers.idFloorMs)));
    const std::vector<ProjectNo> projects = source_.projects();
    for (size_t i = 0; i < projects.size(); ++i) {
      progress_.at("projects", i, projects.size());
      RETURN_IF_ERROR(project(projects[i]));
    }
    // Last, since it makes the database one that opens.
    put(row::plain(row::kFormat), u32(kFormatVersion));
    flush();
    return {};
  }

 private:
  static constexpr uint32_t kFirstSystemIndex = 1;

  // A write that the disk refuses ends the process (database.h), which may be a server's.
  Result<> checkSpace() const {
    TRY(const uint64_t free, freeBytes(directory_));
    if (free >= static_cast<uint64_t>(EmbeddedSettings().minFreeDiskBytes)) return {};
    return fail(ErrorCode::unavailable, fmt::format("the disk is too full: {} MiB are free", free >> 20));
  }

  static std::string u32(uint32_t number) {
    std::string bytes;
    appendU32(bytes, number);
    return bytes;
  }
  static std::string u64(uint64_t number) {
    std::string bytes;
    appendU64(bytes, number);
    return bytes;
  }

  Result<> project(ProjectNo number) {
    if (progress_.stopped()) return fail(ErrorCode::unavailable, "stopped");
    const ProjectNumbers numbers = source_.numbersOf(number);
    put(row::of(row::kNextNumber, number), u32(numbers.nextNumber));
    put(row::of(row::kEpoch, number), u64(numbers.epoch));
    put(row::of(row::kLogLowWater, number), u64(numbers.lostUpTo));
    for (const CollectionInfo& collection : source_.collections(number)) {
      TRY(const ChainHead head, source_.chainHead(number, collection.number));
      if (head.seq > 0) put(row::of(row::kChainHead, number, collection.number), encodeChainHead(head));
      if (collection.number >= kFirstUserCollection) RETURN_IF_ERROR(schema(number, collection));
    }
    return log(number, numbers.lastPosition);
  }

  Result<> schema(ProjectNo project, const CollectionInfo& collection) {
    Schema made;
    made.number = collection.number;
    made.name = collection.name;
    made.version = collection.version;
    made.config = collection.config;
    for (const IndexInfo& index : collection.indexes) {
      TRY(std::shared_ptr<Index> compiled, compileIndex(index.number, index.spec, true));
      made.indexes.push_back(std::move(compiled));
    }
    put(row::of(row::kCollection, project, collection.number), encodeSchema(made));
    return {};
  }

  Result<> log(ProjectNo project, uint64_t lastPosition) {
    uint64_t logged = 0;
    int64_t lastMs = 0;
    RETURN_IF_ERROR(source_.eachChange(project, [&](const ChangeEntry& entry) -> Result<> {
      if (progress_.stopped()) return fail(ErrorCode::unavailable, "stopped");
      const std::string key = logKey(project, entry.position);
      std::string rest;
      appendLogHead(rest, entry.kind, entry.collection, entry.id, entry.actor, entry.before ? &*entry.before : nullptr);
      if (entry.before) rest += entry.before->bytes();
      if (entry.after) rest += entry.after->bytes();
      lastMs = std::max(lastMs, entry.at.ms);
      logged += key.size() + kLogStampBytes + rest.size();
      batch_.Put(database_.family(Family::log), key, u64(static_cast<uint64_t>(lastMs)) + u64(logged) + rest);
      if (!entry.trace.empty()) batch_.Put(database_.family(Family::traces), key, entry.trace);
      if (batch_.GetDataSize() < kCreationBatchBytes) return {};
      flush();
      return checkSpace();
    }));
    put(row::of(row::kChangeLog, project), u64(lastPosition) + u64(logged) + u64(static_cast<uint64_t>(lastMs)));
    return {};
  }

  void put(const std::string& key, const std::string& value) {
    batch_.Put(database_.family(Family::system), key, value);
    if (batch_.GetDataSize() >= kCreationBatchBytes) flush();
  }
  void flush() {
    database_.write(batch_);
    batch_.Clear();
  }

  const Image& source_;
  Database& database_;
  const std::filesystem::path directory_;
  Progress& progress_;
  rocksdb::WriteBatch batch_;
};

}  // namespace

}  // namespace mb::store::embedded

namespace mb::store {

Result<> EmbeddedStore::createLike(const Image& source, const std::filesystem::path& directory, Progress& progress) {
  TRY(const auto database,
      embedded::Database::open(directory / "store", EmbeddedSettings(), [](ProjectNo) -> uint64_t { return 0; }));
  RETURN_IF_ERROR(embedded::Creation(source, *database, directory, progress).run());
  database->flush();
  return {};
}

}  // namespace mb::store
