#include "store/embedded/commit_thread.h"

#include "store/configuration_limits.h"

namespace mb::store::embedded {

CommitThread::CommitThread(Database& database, const Catalogue& catalogue, CommitQueue& queue,
                           CommitObservers observers, Cores& cores, const Clock& clock, int64_t idFloorMs)
    : database_(database),
      catalogue_(catalogue),
      queue_(queue),
      cores_(cores),
      batch_(database),
      derived_(observers, clock, idFloorMs) {}

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
    applyLimits(group);
    if (!refused_.empty()) resume(refused_);
    if (group.empty()) continue;
    build(group);
    database_.documents().beginWrites(written_);
    const rocksdb::Status status = database_.db().Write(options, &batch_.rows());
    if (!status.ok()) stopProcess("a synced write", status);
    database_.documents().endWrites(written_, database_.db().GetLatestSequenceNumber());
    publish(group);
    resume(group);
    derived_.notifyListeners();
  }
}

void CommitThread::applyLimits(std::vector<Commit*>& group) {
  refused_.clear();
  derived_.reset();
  std::erase_if(group, [this](Commit* commit) {
    if (commit->limited) commit->refused = limitPassedBy(*commit);
    if (commit->refused) {
      refused_.push_back(commit);
    } else {
      derived_.add(*commit);
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
  batch_.clear();
  written_.clear();
  addOps(group);
  derived_.write(batch_);
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
    if (op->family == Family::documents) {
      written_.push_back({key, op->remove ? StoredDocument() : StoredDocument{commit->valueOf(*op), op->version}});
    }
    if (op->remove) {
      batch_.remove(op->family, key);
    } else if (op->version != 0) {
      batch_.putVersioned(op->family, key, commit->valueOf(*op), op->version);
    } else {
      batch_.put(op->family, key, commit->valueOf(*op));
    }
  }
}

void CommitThread::publish(std::span<Commit* const> group) {
  commits_.fetch_add(1, std::memory_order_relaxed);
  writes_.fetch_add(group.size(), std::memory_order_relaxed);
  derived_.publish();
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

}  // namespace mb::store::embedded
