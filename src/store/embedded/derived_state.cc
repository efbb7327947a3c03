#include "store/embedded/derived_state.h"

#include "store/embedded/change_log.h"
#include "store/embedded/keys.h"

namespace mb::store::embedded {

namespace {

// The distance of the stored floor above the highest id, so that the floor is written at most once a second.
constexpr int64_t kIdFloorStepMs = 1000;
// The time of a collection's last write moves in steps of at least this, so that busy collections do not add a row to
// each group.
constexpr int64_t kLastWriteStepMs = 1000;

}  // namespace

// ---- counts

void CountUpdates::reset() {
  KindOfStates::reset();
  written_.clear();
  nowMs_ = clock_.now().ms;
}

void CountUpdates::add(const Commit& commit) {
  if (commit.schemaBytes != 0) commit.project->nextSchemaBytes += commit.schemaBytes;
  for (const Commit::Count& count : commit.counts) {
    CollectionState& collection = *count.collection;
    collection.nextDocuments += static_cast<uint64_t>(count.documents);
    collection.nextBytes += static_cast<uint64_t>(count.bytes);
    changed_.add(collection);
    if (collection.number < kFirstUserCollection || nowMs_ < collection.nextWriteMs + kLastWriteStepMs) continue;
    collection.nextWriteMs = nowMs_;
    written_.push_back(&collection);
  }
}

void CountUpdates::write(GroupBatch& batch) {
  for (const CollectionState* collection : changed_) {
    batch.putNumbers(row::of(row::kCount, collection->project, collection->number),
                     {collection->nextDocuments, collection->nextBytes});
  }
  for (const CollectionState* collection : written_) {
    batch.putNumbers(row::of(row::kLastWrite, collection->project, collection->number),
                     {static_cast<uint64_t>(collection->nextWriteMs)});
  }
}

void CountUpdates::publish() {
  for (CollectionState* collection : changed_) {
    collection->documents.store(collection->nextDocuments, std::memory_order_relaxed);
    collection->bytes.store(collection->nextBytes, std::memory_order_relaxed);
  }
  for (CollectionState* collection : written_) {
    collection->lastWriteMs.store(collection->nextWriteMs, std::memory_order_relaxed);
  }
}

// ---- chains

// Chaining adds a position and hash to each insert after admission. The queue must get back the admitted size, so
// `commit.bytes` is restored.
void ChainUpdates::add(Commit& commit) {
  const size_t admitted = commit.bytes;
  for (const Commit::ChainedInsert& insert : commit.chained) {
    CollectionState& collection = *insert.collection;
    Commit::Op& op = commit.ops[insert.op];
    const std::string_view before = commit.valueOf(op);
    const std::string stored = chained(doc::DocumentView(before), collection.nextHead);
    collection.nextBytes += stored.size() - before.size();
    op.valueAt = static_cast<uint32_t>(commit.arena.size());
    op.value = {nullptr, stored.size()};
    commit.arena += stored;
    changed_.add(collection);
    if (!insert.bySeq) continue;
    const std::string id(commit.keyOf(op).substr(kPrefixBytes));
    const doc::DocumentView document(stored);
    const auto collected = collectEntries(*insert.bySeq, collection.project, document, id, entries_);
    if (!collected) stopProcess("building a write", rocksdb::Status::Corruption(collected.error().message()));
    for (size_t i = 0; i < entries_.entries.size(); ++i) {
      commit.put(Family::indexes, entries_.key(i), entryValue(*insert.bySeq, entries_, i, document, id, value_));
    }
  }
  commit.bytes = admitted;
  for (const Commit::Head& restored : commit.heads) {
    restored.collection->nextHead = restored.head;
    changed_.add(*restored.collection);
  }
}

void ChainUpdates::write(GroupBatch& batch) {
  for (const CollectionState* collection : changed_) {
    batch.put(Family::system, row::of(row::kChainHead, collection->project, collection->number),
              encodeChainHead(collection->nextHead));
  }
}

// ---- counts by value

void GroupCountUpdates::add(const Commit& commit) {
  for (const Commit::GroupDelta& group : commit.groupCounts) {
    const auto [at, first] = counts_.try_emplace({group.collection, group.value});
    if (first) at->second = group.collection->groupCounts.of(group.value);
    at->second.documents += static_cast<uint64_t>(group.documents);
    at->second.bytes += static_cast<uint64_t>(group.bytes);
  }
}

void GroupCountUpdates::write(GroupBatch& batch) {
  for (const auto& [which, stats] : counts_) {
    const std::string key = row::of(row::kGroupCount, which.first->project, which.first->number) + which.second;
    if (stats.documents > 0) {
      batch.put(Family::system, key, encodeGroupCount(stats));
    } else {
      batch.remove(Family::system, key);
    }
  }
}

void GroupCountUpdates::publish() {
  for (const auto& [which, stats] : counts_) which.first->groupCounts.set(which.second, stats);
}

// ---- the change log

void LogUpdates::reset() {
  changed_.reset();
  commits_.clear();
  nowMs_ = clock_.now().ms;
}

void LogUpdates::add(Commit& commit) {
  if (commit.log.empty()) return;
  ProjectState& project = *commit.project;
  if (changed_.add(project)) project.lastLoggedMs = std::max(project.lastLoggedMs, nowMs_);
  project.nextPosition += commit.log.size();
  commit.position = project.nextPosition;
  commits_.push_back(&commit);
  // Before the entries can be read. Reads of other projects skip the traces.
  if (!commit.trace.empty()) project.traced.store(true, std::memory_order_relaxed);
}

void LogUpdates::writeEntries(const Commit& commit, GroupBatch& batch) {
  ProjectState& project = *commit.project;
  uint64_t position = commit.position - commit.log.size();
  for (const Commit::LogItem& item : commit.log) {
    key_.clear();
    appendU32(key_, project.number);
    appendU64(key_, ++position);
    project.nextLoggedBytes += key_.size() + kLogStampBytes + item.headSize + item.before.size() + item.after.size();
    value_.clear();
    appendU64(value_, static_cast<uint64_t>(project.lastLoggedMs));
    appendU64(value_, project.nextLoggedBytes);
    const std::string_view head = std::string_view(commit.arena).substr(item.headAt, item.headSize);
    const std::array<rocksdb::Slice, 4> parts = {slice(value_), slice(head), slice(item.before), slice(item.after)};
    batch.put(Family::log, key_, parts);
    if (!commit.trace.empty()) batch.put(Family::traces, key_, commit.trace);
  }
}

void LogUpdates::write(GroupBatch& batch) {
  for (const Commit* commit : commits_) writeEntries(*commit, batch);
  for (const ProjectState* project : changed_) {
    batch.putNumbers(row::of(row::kChangeLog, project->number),
                     {project->nextPosition, project->nextLoggedBytes, static_cast<uint64_t>(project->lastLoggedMs)});
  }
}

void LogUpdates::publish() {
  for (ProjectState* project : changed_) {
    project->loggedBytes.store(project->nextLoggedBytes, std::memory_order_relaxed);
    project->lastPosition.store(project->nextPosition, std::memory_order_release);
  }
}

void LogUpdates::notifyListeners() const {
  if (changed_.empty()) return;
  listeners_.notifyBatch([this](const auto& notify) {
    for (const ProjectState* project : changed_) notify(project->number, project->nextPosition);
  });
}

// ---- counters

void CounterUpdates::reset() {
  changed_.reset();
  commits_.clear();
}

void CounterUpdates::add(Commit& commit) {
  if (commit.counters.empty()) return;
  for (const CounterDelta& delta : commit.counters) {
    delta.counter->next += delta.by;
    changed_.add(*delta.counter);
  }
  commits_.push_back(&commit);
}

void CounterUpdates::write(GroupBatch& batch) {
  for (const Counter* counter : changed_) {
    if (counter->next != 0) {
      batch.putNumbers(counterRow(counter->key), {static_cast<uint64_t>(counter->next)});
    } else {
      batch.remove(Family::system, counterRow(counter->key));
    }
  }
}

void CounterUpdates::publish() {
  for (Counter* counter : changed_) counter->durable = counter->next;
  for (Commit* commit : commits_) {
    // Increases count since the admission, decreases from now on.
    for (const CounterDelta& delta : commit->counters) {
      if (delta.by < 0) delta.counter->admitted.fetch_add(delta.by);
    }
    counters_.forgetUnused(commit->counters);
  }
}

// ---- marks

void MarkUpdates::add(const Commit& commit) {
  if (!commit.stripes.empty()) commits_.push_back(&commit);
}

void MarkUpdates::publish() {
  for (const Commit* commit : commits_) marks_.move(commit->stripes);
}

// ---- index traits

void TraitUpdates::add(Commit& commit) {
  if (!commit.traits.empty()) commits_.push_back(&commit);
}

void TraitUpdates::write(GroupBatch& batch) {
  for (Commit* commit : commits_) {
    for (Commit::TraitsRow& traits : commit->traits) {
      traits.multikey = traits.traits->multikey;
      traits.truncated = traits.traits->truncated;
      batch.putNumbers(row::of(row::kIndexTraits, traits.project, traits.index),
                       {uint64_t{traits.multikey} << 32 | traits.truncated});
    }
  }
}

void TraitUpdates::publish() {
  for (const Commit* commit : commits_) {
    for (const Commit::TraitsRow& traits : commit->traits) {
      traits.traits->durableMultikey.fetch_or(traits.multikey, std::memory_order_relaxed);
      traits.traits->durableTruncated.fetch_or(traits.truncated, std::memory_order_relaxed);
    }
  }
}

// ---- callbacks

void DurableCallbacks::add(Commit& commit) {
  if (commit.onDurable) commits_.push_back(&commit);
}

void DurableCallbacks::publish() {
  for (Commit* commit : commits_) commit->onDurable();
}

// ---- epochs

void EpochUpdates::add(const Commit& commit) {
  for (ProjectState* project : commit.bumps) {
    if (changed_.add(*project)) ++project->nextEpoch;
  }
}

void EpochUpdates::write(GroupBatch& batch) {
  for (const ProjectState* project : changed_) {
    batch.putNumbers(row::of(row::kEpoch, project->number), {project->nextEpoch});
  }
}

void EpochUpdates::publish() {
  for (ProjectState* project : changed_) project->epoch.store(project->nextEpoch, std::memory_order_release);
}

// ---- notices

void NoticeUpdates::add(const Commit& commit) {
  if (commit.notices) commits_.push_back(&commit);
}

void NoticeUpdates::publish() {
  if (commits_.empty()) return;
  notices_.notifyBatch([this](const auto& notify) {
    for (const Commit* commit : commits_) {
      for (const Notice& notice : *commit->notices) notify(notice);
    }
  });
}

// ---- the floor of ids

void IdFloor::write(GroupBatch& batch) {
  const IdGenerator* ids = ids_.load();
  if (!ids) return;
  const int64_t highest = ids->highestMs();
  if (highest <= floorMs_) return;
  floorMs_ = highest + kIdFloorStepMs;
  batch.putNumbers(row::plain(row::kIdFloor), {static_cast<uint64_t>(floorMs_)});
}

// ---- all

template <class Step>
void DerivedState::forEach(const Step& step) {
  step(counts_);
  step(chains_);
  step(groupCounts_);
  step(counters_);
  step(marks_);
  step(traits_);
  step(callbacks_);
  step(epochs_);
  step(log_);
  step(notices_);
  step(idFloor_);
}

void DerivedState::reset() {
  forEach([](auto& kind) { kind.reset(); });
}

void DerivedState::add(Commit& commit) {
  forEach([&](auto& kind) { kind.add(commit); });
}

void DerivedState::write(GroupBatch& batch) {
  forEach([&](auto& kind) { kind.write(batch); });
}

void DerivedState::publish() {
  forEach([](auto& kind) { kind.publish(); });
}

}  // namespace mb::store::embedded
