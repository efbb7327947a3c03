#include "store/embedded/sweeper.h"

#include "store/embedded/keys.h"

namespace mb::store::embedded {

namespace {
// A range with fewer keys is deleted key by key: range tombstones slow down every read of a memtable.
constexpr size_t kFewKeys = 10'000;
constexpr size_t kBatchKeys = 500;
constexpr size_t kRangeTombstones = 64;
}  // namespace

void Sweeper::add(Tombstone tombstone, std::chrono::steady_clock::time_point notBefore) {
  const std::lock_guard lock(mutex_);
  due_.push_back({std::move(tombstone), notBefore});
}

bool Sweeper::idle() const {
  const std::lock_guard lock(mutex_);
  return due_.empty();
}

void Sweeper::sweepDue(const std::function<bool()>& stopping) {
  while (!stopping()) {
    Tombstone tombstone;
    {
      const std::lock_guard lock(mutex_);
      const auto now = std::chrono::steady_clock::now();
      const auto next = std::find_if(due_.begin(), due_.end(), [&](const Due& due) { return due.notBefore <= now; });
      if (next == due_.end()) return;
      tombstone = next->tombstone;
    }
    if (!sweep(tombstone, stopping)) return;
    if (!forget(tombstone)) return;
    const std::lock_guard lock(mutex_);
    std::erase_if(due_, [&](const Due& due) { return due.tombstone.row == tombstone.row; });
  }
}

bool Sweeper::sweep(const Tombstone& tombstone, const std::function<bool()>& stopping) {
  const ProjectNo project = tombstone.project;
  if (tombstone.wholeProject) {
    std::string prefix;
    appendU32(prefix, project);
    for (const Family family : {Family::documents, Family::indexes, Family::log, Family::traces}) {
      if (!clearRange(family, prefix, stopping)) return false;
    }
    return true;
  }
  if (tombstone.collection != 0 &&
      !clearRange(Family::documents, rangePrefix(project, tombstone.collection), stopping)) {
    return false;
  }
  return std::all_of(tombstone.indexes.begin(), tombstone.indexes.end(),
                     [&](IndexNo index) { return clearRange(Family::indexes, rangePrefix(project, index), stopping); });
}

bool Sweeper::clearRange(Family family, const std::string& prefix, const std::function<bool()>& stopping) {
  const std::string end = successor(prefix);
  std::vector<std::string> keys;
  {
    rocksdb::ReadOptions options = Database::reading(Tier::disk);
    const rocksdb::Slice upper = slice(end);
    if (!end.empty()) options.iterate_upper_bound = &upper;
    options.fill_cache = false;
    const std::unique_ptr<rocksdb::Iterator> at(database_.db().NewIterator(options, database_.family(family)));
    for (at->Seek(prefix); at->Valid() && keys.size() < kFewKeys; at->Next()) keys.emplace_back(view(at->key()));
    if (!at->status().ok()) return false;
  }
  if (keys.size() < kFewKeys) {
    for (size_t from = 0; from < keys.size(); from += kBatchKeys) {
      if (stopping()) return false;
      rocksdb::WriteBatch batch;
      for (size_t i = from; i < std::min(keys.size(), from + kBatchKeys); ++i) {
        batch.Delete(database_.family(family), keys[i]);
      }
      database_.write(batch);
    }
    return true;
  }
  if (stopping()) return false;
  database_.dropRange(family, prefix, end);
  if (++rangeTombstones_ >= kRangeTombstones) {
    database_.flush();
    rangeTombstones_ = 0;
  }
  return true;
}

bool Sweeper::forget(const Tombstone& tombstone) {
  rocksdb::WriteBatch batch;
  auto* family = database_.family(Family::system);
  batch.Delete(family, row::tombstone(tombstone.row));
  if (tombstone.wholeProject) {
    for (const char kind : {row::kChainHead, row::kIndexBuild, row::kCollection, row::kCounter, row::kCount,
                            row::kLastWrite, row::kIndexTraits, row::kGroupCount}) {
      const std::string prefix = row::of(kind, tombstone.project);
      const std::unique_ptr<rocksdb::Iterator> at(database_.db().NewIterator(Database::reading(Tier::disk), family));
      for (at->Seek(prefix); at->Valid() && at->key().starts_with(prefix); at->Next()) batch.Delete(family, at->key());
      if (!at->status().ok()) return false;
    }
    for (const char kind : {row::kEpoch, row::kChangeLog, row::kLogLowWater, row::kNextNumber})
      batch.Delete(family, row::of(kind, tombstone.project));
  } else {
    if (tombstone.collection != 0) {
      for (const char kind : {row::kCount, row::kLastWrite})
        batch.Delete(family, row::of(kind, tombstone.project, tombstone.collection));
    }
    for (const IndexNo index : tombstone.indexes) {
      if (index < kFirstUserCollection) continue;
      for (const char kind : {row::kIndexBuild, row::kIndexTraits})
        batch.Delete(family, row::of(kind, tombstone.project, index));
    }
  }
  database_.write(batch);
  return true;
}

}  // namespace mb::store::embedded
