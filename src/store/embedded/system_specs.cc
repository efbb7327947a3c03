// Brings the system collections to the specs of this version of the code, while the store opens and has no other user:
// upgrades their documents, builds new indexes, drops undeclared ones.
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
    return fail(ErrorCode::internal,
                fmt::format("the system collection {} has a number of user collections", wanted.name));
  }
  const SchemaPtr known = system_.contains(wanted.number) ? system_[wanted.number] : std::make_shared<const Schema>();
  Schema next;
  next.number = wanted.number;
  next.name = wanted.name;
  std::vector<std::shared_ptr<Index>> added;
  std::vector<std::shared_ptr<const Index>> dropped = known->indexes;
  for (IndexSpec spec : wanted.indexes) {
    if (spec.name.empty()) spec.name = defaultIndexName(spec.keys);
    const auto same = std::find_if(dropped.begin(), dropped.end(), [&](const std::shared_ptr<const Index>& index) {
      return index->spec.name == spec.name && sameSpec(index->spec, spec);
    });
    if (same != dropped.end()) {
      next.indexes.push_back(*same);
      dropped.erase(same);
      continue;
    }
    TRY(const IndexNo number, freeSystemIndex(next));
    TRY(std::shared_ptr<Index> index, compileIndex(number, std::move(spec), true));
    nextSystemIndex_ = std::max(nextSystemIndex_, number + 1);
    next.indexes.push_back(index);
    added.push_back(std::move(index));
  }
  next.chained = wanted.chained;
  next.countedBy = wanted.countedBy;
  next.counters = wanted.counters;
  next.logFloor = wanted.logFloor;
  for (const std::string& path : wanted.marked) {
    TRY(next.marked.emplace_back(), doc::FieldPath::parse(path));
  }
  const bool isUnchanged =
      known->number == wanted.number && known->name == wanted.name && known->countedBy == wanted.countedBy;
  if (isUnchanged && added.empty() && dropped.empty()) {
    system_[wanted.number] = std::make_shared<const Schema>(std::move(next));
    return {};
  }
  if (!added.empty() && wanted.upgrade) RETURN_IF_ERROR(upgradeDocuments(wanted));
  for (const auto& index : added) RETURN_IF_ERROR(buildSystemIndex(wanted, *index));

  rocksdb::WriteBatch batch;
  auto* family = database_->family(Family::system);
  batch.Put(family, row::plain(row::kNextNumbers), numbersRow());
  forEachProject([&](ProjectState& project) {
    if (dropped.empty()) return;
    Tombstone tombstone{nextTombstone++, project.number, false, 0, {}};
    for (const auto& index : dropped) tombstone.indexes.push_back(index->number);
    batch.Put(family, row::tombstone(tombstone.row), encodeTombstone(tombstone));
    tombstones.push_back(std::move(tombstone));
  });
  batch.Put(family, row::of(row::kSystemCollection, wanted.number), encodeSchema(next));
  database_->write(batch);
  system_[wanted.number] = std::make_shared<const Schema>(std::move(next));
  return {};
}

// The lowest number that no system index has, nor a dropped one that is not swept yet; `making` has indexes that are in
// no row yet. Numbers of dropped indexes are reused, since else each change of a spec would consume one.
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
  // All free numbers wait for their sweep, which normally runs once the store is open. No read can run yet, so it may
  // run now.
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

// Deletes the entries under this number that an interrupted build has left.
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

Result<> Catalogue::upgradeDocuments(const SystemCollection& collection) {
  for (Counts& counts : counts_) {
    if (counts.where.second != collection.number) continue;
    const ProjectState* state = project(counts.where.first);
    if (!state || state->dead) continue;
    const Result<> upgraded = upgradeDocumentsIn(state->number, collection, counts);
    if (upgraded) continue;
    return fail(ErrorCode::internal,
                fmt::format("cannot upgrade the documents of {}: {}", collection.name, upgraded.error().message()));
  }
  return {};
}

// Each batch leaves documents and counts that agree. One that ended early is repeated: the index is in no row yet.
Result<> Catalogue::upgradeDocumentsIn(ProjectNo project, const SystemCollection& collection, Counts& counts) {
  auto* family = database_->family(Family::documents);
  const std::string prefix = rangePrefix(project, collection.number);
  const std::unique_ptr<rocksdb::Iterator> at(database_->db().NewIterator(Database::reading(Tier::disk), family));
  rocksdb::WriteBatch batch;
  const auto write = [&] {
    std::string stored;
    appendU64(stored, counts.documents);
    appendU64(stored, counts.bytes);
    batch.Put(database_->family(Family::system), row::of(row::kCount, project, collection.number), stored);
    database_->write(batch);
    batch.Clear();
  };
  for (at->Seek(prefix); at->Valid() && at->key().starts_with(prefix); at->Next()) {
    const std::optional<doc::Document> upgraded = collection.upgrade(doc::DocumentView(view(at->value())));
    if (!upgraded) continue;
    counts.bytes += upgraded->size();
    counts.bytes -= at->value().size();
    batch.Put(family, at->key(), slice(upgraded->bytes()));
    if (batch.GetDataSize() >= kBatchBytes) write();
  }
  if (!at->status().ok()) return fail(readError(at->status()));
  if (batch.Count() > 0) write();
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
  std::unordered_map<std::string, std::string> unwritten;  // of a unique index: keys in the batch, and their owners
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
