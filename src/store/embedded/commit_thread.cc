#include "store/embedded/commit_thread.h"

#include <ranges>

#include "store/configuration_limits.h"
#include "store/embedded/change_log.h"
#include "store/embedded/keys.h"

namespace mb::store::embedded {

namespace {
// The distance of the stored floor above the highest id, so that the floor is written at most once a second.
constexpr int64_t kIdFloorStepMs = 1000;
// A batch that grew past this is freed after use.
constexpr size_t kRetainedBatchBytes = 4 << 20;
// An incomplete batch must never be written.
void added(const rocksdb::Status& status) {
  if (!status.ok()) stopProcess("building a write", status);
}

}  // namespace

CommitThread::CommitThread(Database& database, const Catalogue& catalogue, CommitQueue& queue,
                           CommitObservers observers, Cores& cores, const Clock& clock, int64_t idFloorMs)
    : database_(database),
      catalogue_(catalogue),
      queue_(queue),
      observers_(observers),
      cores_(cores),
      clock_(clock),
      idFloorMs_(idFloorMs) {}

void CommitThread::start() {
  thread_ = std::thread([this] { run(); });
}

void CommitThread::stop() {
  if (!thread_.joinable()) return;
  queue_.stop();
  thread_.join();
}

void CommitThread::run() {
  std::vector<Commit*> group;
  rocksdb::WriteOptions options;
  options.sync = true;
  while (queue_.takeGroup(group)) {
    ++group_;
    applyLimits(group);
    if (!refused_.empty()) resume(refused_);
    if (group.empty()) continue;
    build(group);
    database_.documents().beginWrites(written_);
    const rocksdb::Status status = database_.db().Write(options, &batch_);
    if (!status.ok()) stopProcess("a synced write", status);
    database_.documents().endWrites(written_, database_.db().GetLatestSequenceNumber());
    publish(group);
    resume(group);
    notifyListeners();
  }
}

void CommitThread::applyLimits(std::vector<Commit*>& group) {
  refused_.clear();
  collections_.clear();
  std::erase_if(group, [this](Commit* commit) {
    if (commit->limited) commit->refused = limitPassedBy(*commit);
    if (commit->refused) {
      refused_.push_back(commit);
    } else {
      addCounts(*commit);
    }
    return commit->refused.has_value();
  });
}

// Checked against the counts after the writes before it in the group. A write to several projects is never one of
// configuration.
std::optional<Error> CommitThread::limitPassedBy(const Commit& commit) const {
  const ProjectState* project = commit.schemaBytes != 0 ? commit.project : nullptr;
  std::map<const CollectionState*, std::pair<int64_t, int64_t>> grown;
  int64_t growth = commit.schemaBytes;
  for (const Commit::Count& count : commit.counts) {
    if (!configurationPart(count.collection->number)) continue;
    auto& [documents, bytes] = grown[count.collection];
    documents += count.documents;
    bytes += count.bytes;
    growth += count.bytes;
    project = catalogue_.project(count.collection->project);
  }
  for (const auto& [collection, by] : grown) {
    const ConfigurationPart& part = *configurationPart(collection->number);
    if (part.limit == 0 || by.first <= 0) continue;
    if (collection->nextDocuments + static_cast<uint64_t>(by.first) > part.limit + part.uncounted) return tooMany(part);
  }
  if (!project || growth <= 0) return std::nullopt;
  std::vector<PartSize> parts;
  uint64_t before = 0;
  const auto add = [&](std::string_view name, int64_t bytes, int64_t by) {
    before += static_cast<uint64_t>(std::max<int64_t>(0, bytes));
    parts.push_back({name, static_cast<uint64_t>(std::max<int64_t>(0, bytes + by))});
  };
  add(kCollectionsPart, project->nextSchemaBytes, commit.schemaBytes);
  for (const ConfigurationPart& part : kConfigurationParts) {
    const CollectionHandle handle = catalogue_.collection(project->number, part.collection);
    if (!handle) continue;
    const auto by = grown.find(handle.state.get());
    add(part.name, static_cast<int64_t>(handle.state->nextBytes), by == grown.end() ? 0 : by->second.second);
  }
  if (!passesConfigurationLimit(before, before + static_cast<uint64_t>(growth))) return std::nullopt;
  return configurationTooLarge(std::move(parts));
}

void CommitThread::build(std::span<Commit* const> group) {
  if (batch_.GetDataSize() > kRetainedBatchBytes) batch_ = rocksdb::WriteBatch();
  batch_.Clear();
  chained_.clear();
  groupCounts_.clear();
  logged_.clear();
  bumped_.clear();
  written_.clear();
  nowMs_ = clock_.now().ms;
  for (Commit* commit : group) addLinks(*commit);
  addOps(group);
  for (Commit* commit : group) {
    addChangeLog(*commit);
    addGroupCounts(*commit);
    addCounters(*commit);
    addMarks(*commit);
    addBumps(*commit);
  }
  addTouched();
  addIdFloor();
}

// Chaining adds a position and hash to each insert after admission. The queue must get back the admitted size, so
// `commit.bytes` is restored.
void CommitThread::addLinks(Commit& commit) {
  const auto touch = [this](CollectionState& collection) {
    if (std::exchange(collection.chainGroup, group_) != group_) chained_.push_back(&collection);
  };
  const size_t admitted = commit.bytes;
  for (const Commit::Link& link : commit.links) {
    CollectionState& collection = *link.collection;
    Commit::Op& op = commit.ops[link.op];
    const std::string_view before = commit.valueOf(op);
    const std::string stored = chained(doc::DocumentView(before), collection.nextHead);
    collection.nextBytes += stored.size() - before.size();
    op.valueAt = static_cast<uint32_t>(commit.arena.size());
    op.value = {nullptr, stored.size()};
    commit.arena += stored;
    touch(collection);
    if (!link.bySeq) continue;
    const std::string id(commit.keyOf(op).substr(kPrefixBytes));
    const doc::DocumentView document(stored);
    const auto collected = collectEntries(*link.bySeq, collection.project, document, id, entries_);
    if (!collected) stopProcess("building a write", rocksdb::Status::Corruption(collected.error().message()));
    for (size_t i = 0; i < entries_.entries.size(); ++i) {
      commit.put(Family::indexes, entries_.key(i), entryValue(*link.bySeq, entries_, i, document, id, value_));
    }
  }
  commit.bytes = admitted;
  for (const Commit::Head& restored : commit.heads) {
    restored.collection->nextHead = restored.head;
    touch(*restored.collection);
  }
}

// Ops are added in key order, which makes the memtable inserts cheapest. The ops of one commit on a key stay in order,
// and two commits of a group never contain the same key.
void CommitThread::addOps(std::span<Commit* const> group) {
  ops_.clear();
  for (const Commit* commit : group) {
    for (const Commit::Op& op : commit->ops) ops_.push_back({commit, &op, commit->keyOf(op), ops_.size()});
  }
  std::sort(ops_.begin(), ops_.end(), [](const KeyedOp& a, const KeyedOp& b) {
    return a.op->family != b.op->family ? a.op->family < b.op->family : std::tie(a.key, a.at) < std::tie(b.key, b.at);
  });
  for (const auto& [commit, op, key, _] : ops_) {
    auto* family = database_.family(op->family);
    if (op->family == Family::documents) {
      written_.push_back({key, op->remove ? std::string_view() : commit->valueOf(*op)});
    }
    added(op->remove ? batch_.Delete(family, slice(key)) : batch_.Put(family, slice(key), slice(commit->valueOf(*op))));
  }
}

void CommitThread::addChangeLog(Commit& commit) {
  if (commit.log.empty()) return;
  ProjectState& project = *commit.project;
  if (std::exchange(project.logGroup, group_) != group_) logged_.push_back(&project);
  project.lastLoggedMs = std::max(project.lastLoggedMs, nowMs_);
  for (const Commit::LogItem& item : commit.log) {
    key_.clear();
    appendU32(key_, project.number);
    appendU64(key_, ++project.nextPosition);
    project.nextLoggedBytes += key_.size() + kLogStampBytes + item.headSize + item.before.size() + item.after.size();
    value_.clear();
    appendU64(value_, static_cast<uint64_t>(project.lastLoggedMs));
    appendU64(value_, project.nextLoggedBytes);
    const std::string_view head = std::string_view(commit.arena).substr(item.headAt, item.headSize);
    const rocksdb::Slice key = slice(key_);
    const std::array<rocksdb::Slice, 4> parts = {slice(value_), slice(head), slice(item.before), slice(item.after)};
    added(batch_.Put(database_.family(Family::log), rocksdb::SliceParts(&key, 1),
                     rocksdb::SliceParts(parts.data(), static_cast<int>(parts.size()))));
    if (!commit.trace.empty()) added(batch_.Put(database_.family(Family::traces), key, slice(commit.trace)));
  }
  // Before the entries can be read; a project without traces must not pay for them.
  if (!commit.trace.empty()) project.traced.store(true, std::memory_order_relaxed);
  commit.position = project.nextPosition;
}

void CommitThread::addCounts(const Commit& commit) {
  if (commit.schemaBytes != 0) commit.project->nextSchemaBytes += commit.schemaBytes;
  for (const Commit::Count& count : commit.counts) {
    CollectionState& collection = *count.collection;
    collection.nextDocuments += static_cast<uint64_t>(count.documents);
    collection.nextBytes += static_cast<uint64_t>(count.bytes);
    if (std::exchange(collection.group, group_) != group_) collections_.push_back(&collection);
  }
}

void CommitThread::addGroupCounts(const Commit& commit) {
  for (const Commit::GroupDelta& group : commit.groupCounts) {
    const auto [at, first] = groupCounts_.try_emplace({group.collection, group.value});
    if (first) at->second = group.collection->groupCounts.of(group.value);
    at->second.documents += static_cast<uint64_t>(group.documents);
    at->second.bytes += static_cast<uint64_t>(group.bytes);
  }
}

void CommitThread::addCounters(const Commit& commit) {
  for (const CounterDelta& delta : commit.counters) {
    delta.counter->next += delta.by;
    if (std::exchange(delta.counter->group, group_) != group_) counters_.push_back(delta.counter);
  }
}

void CommitThread::addMarks(Commit& commit) {
  for (Commit::Mark& mark : commit.marks) {
    mark.multikey = mark.traits->multikey;
    mark.truncated = mark.traits->truncated;
    value_.clear();
    appendU32(value_, mark.multikey);
    appendU32(value_, mark.truncated);
    added(batch_.Put(database_.family(Family::system), row::of(row::kIndexTraits, mark.project, mark.index), value_));
  }
}

void CommitThread::addBumps(const Commit& commit) {
  for (ProjectState* project : commit.bumps) {
    if (std::exchange(project->epochGroup, group_) == group_) continue;
    ++project->nextEpoch;
    bumped_.push_back(project);
  }
}

void CommitThread::addTouched() {
  auto* family = database_.family(Family::system);
  const auto put = [&](const std::string& key) { added(batch_.Put(family, key, value_)); };
  for (const CollectionState* collection : collections_) {
    value_.clear();
    appendU64(value_, collection->nextDocuments);
    appendU64(value_, collection->nextBytes);
    put(row::of(row::kCount, collection->project, collection->number));
  }
  for (const CollectionState* collection : chained_) {
    value_ = encodeChainHead(collection->nextHead);
    put(row::of(row::kChainHead, collection->project, collection->number));
  }
  for (const auto& [which, stats] : groupCounts_) {
    const std::string key = row::of(row::kGroupCount, which.first->project, which.first->number) + which.second;
    value_ = encodeGroupCount(stats);
    if (stats.documents > 0) {
      put(key);
    } else {
      added(batch_.Delete(family, key));
    }
  }
  for (const CounterPtr& counter : counters_) {
    value_.clear();
    appendU64(value_, static_cast<uint64_t>(counter->next));
    if (counter->next != 0) {
      put(counterRow(counter->key));
    } else {
      added(batch_.Delete(family, counterRow(counter->key)));
    }
  }
  for (const ProjectState* project : logged_) {
    value_.clear();
    appendU64(value_, project->nextPosition);
    appendU64(value_, project->nextLoggedBytes);
    appendU64(value_, static_cast<uint64_t>(project->lastLoggedMs));
    put(row::of(row::kChangeLog, project->number));
  }
  for (const ProjectState* project : bumped_) {
    value_.clear();
    appendU64(value_, project->nextEpoch);
    put(row::of(row::kEpoch, project->number));
  }
}

void CommitThread::addIdFloor() {
  const IdGenerator* ids = ids_.load();
  if (!ids) return;
  const int64_t highest = ids->highestMs();
  if (highest <= idFloorMs_) return;
  idFloorMs_ = highest + kIdFloorStepMs;
  value_.clear();
  appendU64(value_, static_cast<uint64_t>(idFloorMs_));
  added(batch_.Put(database_.family(Family::system), row::plain(row::kIdFloor), value_));
}

void CommitThread::publish(std::span<Commit* const> group) {
  commits_.fetch_add(1, std::memory_order_relaxed);
  writes_.fetch_add(group.size(), std::memory_order_relaxed);
  for (CollectionState* collection : collections_) {
    collection->documents.store(collection->nextDocuments, std::memory_order_relaxed);
    collection->bytes.store(collection->nextBytes, std::memory_order_relaxed);
  }
  for (const auto& [which, stats] : groupCounts_) which.first->groupCounts.set(which.second, stats);
  for (ProjectState* project : logged_) {
    project->loggedBytes.store(project->nextLoggedBytes, std::memory_order_relaxed);
    project->lastPosition.store(project->nextPosition, std::memory_order_release);
  }
  for (const CounterPtr& counter : counters_) counter->durable = counter->next;
  counters_.clear();
  for (Commit* commit : group) {
    // Increases count since the admission, decreases from now on.
    for (const CounterDelta& delta : commit->counters) {
      if (delta.by < 0) delta.counter->admitted.fetch_add(delta.by);
    }
    observers_.counters.forgetUnused(commit->counters);
    observers_.marks.move(commit->stripes);
    for (const Commit::Mark& mark : commit->marks) {
      mark.traits->durableMultikey.fetch_or(mark.multikey, std::memory_order_relaxed);
      mark.traits->durableTruncated.fetch_or(mark.truncated, std::memory_order_relaxed);
    }
    if (commit->onDurable) commit->onDurable();
  }
  for (ProjectState* project : bumped_) project->epoch.store(project->nextEpoch, std::memory_order_release);
  const auto announces = [](const Commit* commit) { return commit->notices != nullptr; };
  if (std::ranges::none_of(group, announces)) return;
  observers_.notices.notifyBatch([&](const auto& notify) {
    for (const Commit* commit : group | std::views::filter(announces)) {
      for (const Notice& notice : *commit->notices) notify(notice);
    }
  });
}

void CommitThread::resume(std::span<Commit* const> group) {
  size_t bytes = 0;
  std::vector<std::vector<Commit*>> byCore(static_cast<size_t>(cores_.count()));
  for (Commit* commit : group) {
    bytes += commit->bytes;
    if (commit->core >= 0) byCore[static_cast<size_t>(commit->core)].push_back(commit);
  }
  queue_.done(group.size(), bytes);
  for (Commit* commit : group) {
    if (commit->core < 0) commit->resumer.resume(true);
  }
  for (size_t core = 0; core < byCore.size(); ++core) {
    if (byCore[core].empty()) continue;
    asio::post(cores_.at(static_cast<int>(core)), [commits = std::move(byCore[core])] {
      for (Commit* commit : commits) commit->resumer.resumeHere(true);
    });
  }
}

void CommitThread::notifyListeners() {
  if (logged_.empty()) return;
  observers_.listeners.notifyBatch([this](const auto& notify) {
    for (const ProjectState* project : logged_) notify(project->number, project->nextPosition);
  });
}

}  // namespace mb::store::embedded
