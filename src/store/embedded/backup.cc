#include "store/embedded/backup.h"

#include <rocksdb/utilities/checkpoint.h>

#include "store/embedded/change_log.h"
#include "store/embedded/check.h"
#include "store/embedded/engine.h"
#include "store/embedded/index_entries.h"
#include "store/embedded/keys.h"

namespace mb::store {

using embedded::Family;
using embedded::Tier;

namespace {

// The image is read once from end to end, so caches are of little use.
EmbeddedSettings imageSettings() {
  EmbeddedSettings settings;
  settings.blockCacheBytes = settings.documentCacheBytes = 8LL << 20;
  return settings;
}

}  // namespace

struct StoreImage::Impl {
  embedded::Catalogue catalogue;
  std::unique_ptr<embedded::Database> database;
};

StoreImage::StoreImage(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

StoreImage::~StoreImage() = default;

Result<std::unique_ptr<StoreImage>> StoreImage::open(const std::filesystem::path& directory) {
  std::error_code failed;
  // Opening for reading would create a missing directory.
  if (!std::filesystem::exists(directory / "CURRENT", failed)) {
    return fail(ErrorCode::notFound, "there is no store in " + directory.string());
  }
  auto impl = std::make_unique<Impl>();
  TRY(impl->database, embedded::Database::open(
                          directory, imageSettings(), [](ProjectNo) { return 0; }, embedded::Database::Mode::read));
  rocksdb::PinnableSlice format;
  if (!impl->database->get(Tier::disk, Family::system, embedded::row::plain(embedded::row::kFormat), &format).ok()) {
    return fail(ErrorCode::internal, "there is no store in " + directory.string());
  }
  // Without declared system collections the catalogue uses the stored ones, and writes nothing.
  RETURN_IF_ERROR(impl->catalogue.load(*impl->database, {}));
  return std::unique_ptr<StoreImage>(new StoreImage(std::move(impl)));
}

StoreNumbers StoreImage::numbers() const {
  return {impl_->catalogue.nextProject, impl_->catalogue.idFloorMs};
}

ProjectNumbers StoreImage::numbersOf(ProjectNo project) const {
  const embedded::ProjectState* state = impl_->catalogue.project(project);
  if (state == nullptr) return {};
  return {state->epoch, state->nextNumber, state->lastPosition, state->lowWater};
}

std::vector<ProjectNo> StoreImage::projects() const {
  std::vector<ProjectNo> numbers;
  impl_->catalogue.forEachProject([&](const embedded::ProjectState& project) { numbers.push_back(project.number); });
  return numbers;
}

std::vector<CollectionInfo> StoreImage::collections(ProjectNo project) const {
  std::vector<CollectionInfo> infos;
  for (const auto& [_, schema] : impl_->catalogue.systemCollections()) infos.push_back(infoOf(*schema));
  for (const auto& schema : impl_->catalogue.userCollections(project)) infos.push_back(infoOf(*schema));
  return infos;
}

Result<CollectionStats> StoreImage::stats(ProjectNo project, CollectionNo collection) const {
  const embedded::CollectionHandle handle = impl_->catalogue.collection(project, collection);
  return handle ? CollectionStats{handle.state->documents, handle.state->bytes} : CollectionStats{};
}

Result<std::optional<doc::Document>> StoreImage::get(ProjectNo project, CollectionNo collection,
                                                     std::string_view id) const {
  rocksdb::PinnableSlice value;
  const auto status =
      impl_->database->get(Tier::disk, Family::documents, embedded::documentKey(project, collection, id), &value);
  if (status.IsNotFound()) return std::optional<doc::Document>();
  if (!status.ok()) return fail(embedded::readError(status));
  TRY(doc::Document document,
      doc::Document::fromUntrusted(std::string(embedded::splitStored(embedded::view(value)).bson)));
  return std::optional(std::move(document));
}

Result<> StoreImage::each(ProjectNo project, CollectionNo collection, const Visit& visit) const {
  const std::string prefix = embedded::rangePrefix(project, collection);
  rocksdb::ReadOptions options = embedded::Database::reading(Tier::disk);
  options.fill_cache = false;
  options.readahead_size = 1 << 20;
  const std::unique_ptr<rocksdb::Iterator> at(
      impl_->database->db().NewIterator(options, impl_->database->family(Family::documents)));
  for (at->Seek(prefix); at->Valid() && at->key().starts_with(prefix); at->Next()) {
    RETURN_IF_ERROR(visit(doc::DocumentView(embedded::splitStored(embedded::view(at->value())).bson)));
  }
  if (!at->status().ok()) return fail(embedded::readError(at->status()));
  return {};
}

Result<> StoreImage::eachBy(ProjectNo project, CollectionNo collection, std::string_view name,
                            const Visit& visit) const {
  const embedded::CollectionHandle handle = impl_->catalogue.collection(project, collection);
  if (!handle) return {};
  const embedded::Index* index = nullptr;
  for (const auto& each : handle.schema->indexes) {
    if (each->spec.name == name && each->ready) index = each.get();
  }
  if (!index) return fail(ErrorCode::notFound, fmt::format("there is no index {}", name));
  const std::string prefix = embedded::rangePrefix(project, index->number);
  rocksdb::ReadOptions options = embedded::Database::reading(Tier::disk);
  options.fill_cache = false;
  const std::unique_ptr<rocksdb::Iterator> at(
      impl_->database->db().NewIterator(options, impl_->database->family(Family::indexes)));
  for (at->Seek(prefix); at->Valid() && at->key().starts_with(prefix); at->Next()) {
    const std::string_view id = embedded::entryParts(*index, embedded::view(at->key()), embedded::view(at->value())).id;
    if (id.empty()) return fail(ErrorCode::internal, fmt::format("the index {} is corrupt", name));
    TRY(const std::optional<doc::Document> document, get(project, collection, id));
    if (document) RETURN_IF_ERROR(visit(*document));
  }
  if (!at->status().ok()) return fail(embedded::readError(at->status()));
  return {};
}

Result<> StoreImage::eachChange(ProjectNo project, const VisitChange& visit) const {
  rocksdb::ReadOptions options = embedded::Database::reading(Tier::disk);
  options.fill_cache = false;
  const std::unique_ptr<rocksdb::Iterator> at(
      impl_->database->db().NewIterator(options, impl_->database->family(Family::log)));
  const std::string end = embedded::logKey(project + 1, 0);
  for (at->Seek(embedded::logKey(project, numbersOf(project).lostUpTo + 1));
       at->Valid() && embedded::view(at->key()) < std::string_view(end); at->Next()) {
    const uint64_t position = readU64(at->key().data() + sizeof(uint32_t));
    TRY(ChangeEntry entry, embedded::decodeLogEntry(position, embedded::view(at->value())));
    rocksdb::PinnableSlice trace;
    const auto traced = impl_->database->get(Tier::disk, Family::traces, embedded::view(at->key()), &trace);
    if (traced.ok()) entry.trace = embedded::view(trace);
    if (!traced.ok() && !traced.IsNotFound()) return fail(embedded::readError(traced));
    RETURN_IF_ERROR(visit(entry));
  }
  if (!at->status().ok()) return fail(embedded::readError(at->status()));
  return {};
}

Result<ChainHead> StoreImage::chainHead(ProjectNo project, CollectionNo collection) const {
  return impl_->catalogue.chainHead(project, collection);
}

Result<CheckReport> StoreImage::check(Progress& progress) const {
  CheckReport report = embedded::Checker(*impl_->database, impl_->catalogue, &progress).run();
  if (progress.stopped()) return fail(ErrorCode::unavailable, "the check was stopped");
  return report;
}

namespace embedded {

Result<std::unique_ptr<Image>> Engine::image(bool) {
  return fail(ErrorCode::conflict, "an image of this store is a checkpoint");
}

// RocksDB includes the log at any size, so all acknowledged writes are in the checkpoint; flushing first keeps the log
// in the copy short.
Result<> Engine::checkpoint(const std::filesystem::path& to) {
  const Gate::Holder holder(gate_);
  if (!holder) return stopping();
  rocksdb::Checkpoint* created = nullptr;
  rocksdb::Status status = rocksdb::Checkpoint::Create(&database_->db(), &created);
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(created);
  if (status.ok()) status = checkpoint->CreateCheckpoint(to.string());
  if (status.ok()) return {};
  if (status.IsNoSpace()) return fail(ErrorCode::unavailable, "no space is left on the disk for a checkpoint");
  return fail(ErrorCode::internal, "the checkpoint failed: " + status.ToString());
}

}  // namespace embedded

}  // namespace mb::store
