// Bringing the system collections to the specs of this version of the code, while the store opens and nobody else uses
// it: new indexes are built, those no longer declared are dropped.
#include "base/log.h"
#include "store/embedded/catalogue.h"
#include "store/embedded/index_entries.h"
#include "store/embedded/keys.h"
#include "store/embedded/sweeper.h"

namespace mb::store::embedded {

namespace {
constexpr uint32_t kMaxSystemIndexes = kFirstUserCollection - 1;
constexpr size_t kBatchBytes = 1 << 20;
}  // namespace

Result<> Catalogue::bringSystemToSpec(const std::vector<SystemCollection>& system) {
  for (const SystemCollection& collection : system) RETURN_IF_ERROR(bringToSpec(collection));
  return {};
}

Result<> Catalogue::bringToSpec(const SystemCollection& wanted) {
  if (wanted.number == 0 || wanted.number >= kFirstUserCollection) {
    return fail(ErrorCode::internal, fmt::format("the system collection {} has the number of a user's", wanted.name));
  }
  const SchemaPtr known = system_.contains(wanted.number) ? system_[wanted.number] : std::make_shared<const Schema>();
  Schema next;
  next.number = wanted.number;
  next.name = wanted.name;
  std::vector<std::shared_ptr<Index>> fresh;
  std::vector<std::shared_ptr<const Index>> left = known->indexes;
  for (IndexSpec spec : wanted.indexes) {
    if (spec.name.empty()) spec.name = defaultIndexName(spec.keys);
    const auto same = std::find_if(left.begin(), left.end(), [&](const std::shared_ptr<const Index>& index) {
      return index->spec.name == spec.name && sameSpec(index->spec, spec);
    });
    if (same != left.end()) {
      next.indexes.push_back(*same);
      left.erase(same);
      continue;
    }
    TRY(const IndexNo number, freeSystemIndex(next));
    TRY(std::shared_ptr<Index> index, compileIndex(number, std::move(spec), true));
    nextSystemIndex_ = std::max(nextSystemIndex_, number + 1);
    next.indexes.push_back(index);
    fresh.push_back(std::move(index));
  }
  next.chained = wanted.chained;
  next.countedBy = wanted.countedBy;
  next.counters = wanted.counters;
  for (const std::string& path : wanted.marked) {
    TRY(next.marked.emplace_back(), doc::FieldPath::parse(path));
  }
  const bool known_before =
      known->number == wanted.number && known->name == wanted.name && known->countedBy == wanted.countedBy;
  if (known_before && fresh.empty() && left.empty()) {
    system_[wanted.number] = std::make_shared<const Schema>(std::move(next));
    return {};
  }
  for (const auto& index : fresh) RETURN_IF_ERROR(buildSystemIndex(wanted, *index));

  rocksdb::WriteBatch batch;
  auto* family = database_->family(Family::system);
  batch.Put(family, row::plain(row::kNextNumbers), numbersRow());
  forEachProject([&](ProjectState& project) {
    if (left.empty()) return;
    Tombstone tombstone{nextTombstone++, project.number, false, 0, {}};
    for (const auto& index : left) tombstone.indexes.push_back(index->number);
    batch.Put(family, row::tombstone(tombstone.row), encodeTombstone(tombstone));
    tombstones.push_back(std::move(tombstone));
  });
  batch.Put(family, row::of(row::kSystemCollection, wanted.number), encodeSchema(next));
  if (const auto format = formatRow(next)) batch.Put(family, row::plain(row::kFormat), *format);
  database_->write(batch);
  system_[wanted.number] = std::make_shared<const Schema>(std::move(next));
  return {};
}

// The lowest number that no system index has, nor any that was dropped and is still to be swept; `making` has indexes
// already that are in no row yet. Numbers of dropped indexes come back, or each change of a spec would use one up.
Result<IndexNo> Catalogue::freeSystemIndex(const Schema& making) {
  std::set<IndexNo> taken;
  for (const auto& index : making.indexes) taken.insert(index->number);
  for (const auto& [_, schema] : system_) {
    for (const auto& index : schema->indexes) taken.insert(index->number);
  }
  const auto lowest = [&](const std::set<IndexNo>& unswept) -> std::optional<IndexNo> {
    for (IndexNo number = 1; number <= kMaxSystemIndexes; ++number) {
      if (!taken.contains(number) && !unswept.contains(number)) return number;
    }
    return std::nullopt;
  };
  std::set<IndexNo> unswept;
  for (const Tombstone& tombstone : tombstones) unswept.insert(tombstone.indexes.begin(), tombstone.indexes.end());
  if (const auto number = lowest(unswept)) return *number;
  // All that are left wait to be swept, which otherwise happens once the store is open. The store is not open yet, so
  // nothing reads them.
  RETURN_IF_ERROR(sweepSystemIndexes());
  if (const auto number = lowest({})) return *number;
  return fail(ErrorCode::internal, "too many system indexes");
}

Result<> Catalogue::sweepSystemIndexes() {
  const auto ofSystemIndexes = [](const Tombstone& tombstone) {
    return !tombstone.wholeProject && tombstone.collection == 0 &&
           std::ranges::all_of(tombstone.indexes, [](IndexNo number) { return number < kFirstUserCollection; });
  };
  Sweeper sweeper(*database_);
  for (const Tombstone& tombstone : tombstones) {
    if (ofSystemIndexes(tombstone)) sweeper.add(tombstone, {});
  }
  sweeper.sweepDue([] { return false; });
  if (!sweeper.idle()) return fail(ErrorCode::internal, "the rows of dropped indexes cannot be swept");
  std::erase_if(tombstones, ofSystemIndexes);
  return {};
}

// What a build that a crash interrupted has left under this number.
Result<> Catalogue::clearSystemIndexIn(ProjectNo project, IndexNo number) {
  auto* family = database_->family(Family::indexes);
  const std::string prefix = rangePrefix(project, number);
  const std::unique_ptr<rocksdb::Iterator> at(database_->db().NewIterator(Database::reading(Tier::disk), family));
  rocksdb::WriteBatch batch;
  for (at->Seek(prefix); at->Valid() && at->key().starts_with(prefix); at->Next()) {
    batch.Delete(family, at->key());
    if (batch.GetDataSize() < kBatchBytes) continue;
    database_->write(batch);
    batch.Clear();
  }
  if (!at->status().ok()) return fail(readError(at->status()));
  if (batch.Count() > 0) database_->write(batch);
  return {};
}

Result<> Catalogue::buildSystemIndex(const SystemCollection& collection, const Index& index) {
  Result<> outcome;
  forEachProject([&](ProjectState& project) {
    if (outcome) outcome = buildSystemIndexIn(project.number, collection.number, index);
  });
  if (!outcome) {
    return fail(ErrorCode::internal, fmt::format("cannot build the index \"{}\" of {}: {}", index.spec.name,
                                                 collection.name, outcome.error().message()));
  }
  rocksdb::WriteBatch batch;
  std::string marks;
  appendU32(marks, index.traits->multikey);
  appendU32(marks, index.traits->truncated);
  batch.Put(database_->family(Family::system), row::of(row::kIndexTraits, 0, index.number), marks);
  database_->write(batch);
  index.traits->durableMultikey = index.traits->multikey.load();
  index.traits->durableTruncated = index.traits->truncated.load();
  return {};
}

Result<> Catalogue::buildSystemIndexIn(ProjectNo project, CollectionNo collection, const Index& index) {
  RETURN_IF_ERROR(clearSystemIndexIn(project, index.number));
  auto* family = database_->family(Family::indexes);
  const std::string prefix = rangePrefix(project, collection);
  const std::unique_ptr<rocksdb::Iterator> at(
      database_->db().NewIterator(Database::reading(Tier::disk), database_->family(Family::documents)));
  rocksdb::WriteBatch batch;
  EntrySet entries;
  std::string value;
  std::unordered_map<std::string, std::string> unwritten;  // of a unique index: keys in the batch, and whose they are
  for (at->Seek(prefix); at->Valid() && at->key().starts_with(prefix); at->Next()) {
    const std::string id(view(at->key()).substr(kPrefixBytes));
    const doc::DocumentView document(view(at->value()));
    RETURN_IF_ERROR(collectEntries(index, project, document, id, entries));
    index.traits->multikey |= entries.multikey;
    index.traits->truncated |= entries.truncated;
    for (size_t i = 0; i < entries.entries.size(); ++i) {
      const rocksdb::Slice stored = slice(entryValue(index, entries, i, document, id, value));
      if (!index.spec.unique) {
        batch.Put(family, slice(entries.key(i)), stored);
        continue;
      }
      rocksdb::PinnableSlice owner;
      const auto status = database_->get(Tier::disk, Family::indexes, entries.key(i), &owner);
      if (!status.ok() && !status.IsNotFound()) return fail(readError(status));
      const bool taken =
          !unwritten.emplace(entries.key(i), id).second || (status.ok() && entryParts(index, {}, view(owner)).id != id);
      if (taken) return fail(ErrorCode::conflict, "two documents hold the same value");
      batch.Put(family, slice(entries.key(i)), stored);
    }
    if (batch.GetDataSize() < kBatchBytes) continue;
    database_->write(batch);
    batch.Clear();
    unwritten.clear();
  }
  if (!at->status().ok()) return fail(readError(at->status()));
  if (batch.Count() > 0) database_->write(batch);
  return {};
}

}  // namespace mb::store::embedded
