#include "store/embedded/write_job.h"

#include <unordered_set>

#include "store/configuration_limits.h"
#include "store/embedded/change_log.h"
#include "store/embedded/keys.h"
#include "store/marks.h"

namespace mb::store::embedded {

namespace {

// The usual bytes of the keys and of the log entry's head of one document.
constexpr size_t kUsualArena = 384;

std::unexpected<Error> stale() {
  return fail(ErrorCode::staleCatalogue, "the collection changed concurrently: try again");
}

ChangeEntry::Kind kindOf(const Change& change, bool existed) {
  if (change.kind == Change::Kind::remove) return ChangeEntry::Kind::remove;
  if (!existed) return ChangeEntry::Kind::insert;
  return change.replaces ? ChangeEntry::Kind::replace : ChangeEntry::Kind::update;
}

}  // namespace

Result<> WriteJob::resolve(std::vector<WriteTarget> targets) {
  targets_.reserve(targets.size());
  for (WriteTarget& target : targets) {
    const CollectionRef& ref = target.collection;
    if (target.id.empty() || target.id.size() > kMaxId) {
      return fail(ErrorCode::validation, fmt::format("an id has 1 to {} bytes", kMaxId));
    }
    CollectionHandle handle = context_.catalogue.collection(ref.project, ref.number);
    if (!handle) {
      const ProjectState* project = context_.catalogue.project(ref.project);
      if (!project || project->dead) return fail(ErrorCode::notFound, "no such project");
      return stale();
    }
    collections_.push_back(handle.state.get());
    std::string key = documentKey(ref.project, ref.number, target.id);
    targets_.push_back({std::move(handle), ref, std::move(target.id), std::move(key), target.idIsNew, target.access});
  }
  if (collections_.size() > 1) {
    const auto order = [](const CollectionState* c) { return std::pair(c->project, c->number); };
    std::sort(collections_.begin(), collections_.end(),
              [&](const CollectionState* a, const CollectionState* b) { return order(a) < order(b); });
    collections_.erase(std::unique(collections_.begin(), collections_.end()), collections_.end());
  }
  RETURN_IF_ERROR(checkDistinctTargets());
  if (!targets_.empty() && !commit.project) commit.project = context_.catalogue.project(targets_.front().ref.project);
  return {};
}

Result<> WriteJob::checkDistinctTargets() const {
  if (targets_.size() < 2) return {};
  SmallVector<std::string_view> keys;
  for (const Target& target : targets_) {
    if (target.access == Access::write) keys.push_back(target.key);
  }
  std::sort(keys.begin(), keys.end());
  const auto twice = std::adjacent_find(keys.begin(), keys.end());
  if (twice == keys.end()) return {};
  return fail(Error(ErrorCode::internal, "the changes could not be applied")
                  .withCause("a document is named twice: " + std::string(twice->substr(kPrefixBytes))));
}

Result<> WriteJob::checkVersions() {
  for (Target& target : targets_) {
    CollectionHandle now = context_.catalogue.collection(target.ref.project, target.ref.number);
    if (now.state != target.handle.state || now.schema->version != target.ref.version) return stale();
    target.handle.schema = std::move(now.schema);
  }
  return {};
}

bool WriteJob::tryLatches() {
  while (latches_.size() < collections_.size()) {
    Latch& latch = collections_[latches_.size()]->latch;
    if (!latch.tryShared()) return false;
    latches_.emplace_back(latch, false);
  }
  return true;
}

Latch* WriteJob::nextLatch() {
  return latches_.size() < collections_.size() ? &collections_[latches_.size()]->latch : nullptr;
}

void WriteJob::addDocumentLocks() {
  documents_.reserve(targets_.size());
  for (const Target& target : targets_) {
    if (target.access == Access::peek) continue;
    documents_.add(target.key, target.access == Access::write ? KeyLocks::Mode::exclusive : KeyLocks::Mode::shared);
  }
}

Result<bool> WriteJob::readBefore(Tier tier, bool keep) {
  before_.clear();
  before_.reserve(targets_.size());
  versionsBefore_.assign(targets_.size(), 0);
  size_t held = 0;
  for (const Target& target : targets_) {
    if (target.idIsNew) {
      before_.emplace_back();
      continue;
    }
    Database::DocumentRead read = context_.database.document(tier, target.key, keep);
    if (read.status.IsIncomplete()) return false;
    if (read.status.IsNotFound()) {
      before_.emplace_back();
      continue;
    }
    if (!read.status.ok()) return fail(readError(read.status));
    if (target.access == Access::hold && target.ref.number >= kFirstUserCollection) held += read.bytes.size();
    if (held > kMaxHeldBytes) return fail(heldTooLarge());
    versionsBefore_[before_.size()] = read.version;
    before_.emplace_back(doc::Document::fromTrusted(std::move(read.bytes)));
  }
  return true;
}

bool WriteJob::isSystem() const {
  return std::ranges::all_of(targets_, [](const Target& target) { return target.handle.schema->system(); });
}

Result<> WriteJob::apply(std::vector<Change> changes, const Actor& actor, bool logged) {
  changes_ = std::move(changes);
  commit.arena.reserve(kUsualArena * changes_.size());
  for (size_t i = 0; i < changes_.size(); ++i) RETURN_IF_ERROR(applyOne(i, changes_[i], actor, logged));
  return {};
}

Result<> WriteJob::applyOne(size_t at, const Change& change, const Actor& actor, bool logged) {
  if (change.kind == Change::Kind::keep) return {};
  const Target& target = targets_[at];
  if (target.access != Access::write) {
    return fail(Error(ErrorCode::internal, "the changes could not be applied")
                    .withCause("a document that is only held or peeked at is changed: " + target.id));
  }
  const doc::Document* before = before_[at] ? &*before_[at] : nullptr;
  const doc::Document* after = change.kind == Change::Kind::put ? &change.after : nullptr;
  if (!before && !after) return {};
  const bool system = target.handle.schema->system();
  if (after && after->size() > (system ? kMaxRecord : kMaxDocument)) {
    return fail(ErrorCode::payloadTooLarge, system ? "a record is at most 2 MiB" : "a document is at most 1 MiB");
  }
  const bool links = target.handle.schema->chained && logged && !before;
  if (links && namesPlace(*after)) {
    return fail(Error(ErrorCode::internal, "the changes could not be applied").withCause("it has chain fields"));
  }
  for (const auto& index : target.handle.schema->indexes) RETURN_IF_ERROR(applyIndex(at, *index, before, after));
  if (after) {
    puts_ = true;
    const DocumentVersion version = system ? 0 : nextVersion();
    commit.putElsewhere(Family::documents, target.key, after->bytes(), version);
    if (links) addLink(target.handle);
    if (version != 0) {
      versions_.resize(targets_.size());
      versions_[at] = version;
    }
  } else {
    commit.remove(Family::documents, target.key);
  }
  addCount(*target.handle.state, int{after != nullptr} - int{before != nullptr},
           static_cast<int64_t>(after ? after->size() : 0) - static_cast<int64_t>(before ? before->size() : 0));
  if (!target.handle.schema->countedBy.empty()) {
    if (before) addGroupCount(target.handle, *before, -1);
    if (after) addGroupCount(target.handle, *after, 1);
  }
  addDerived(target.handle, before, after);
  if (system || !logged) return {};
  addLogItem(kindOf(change, before), target.ref.number, target.id, actor, before, after);
  return {};
}

void WriteJob::addLogItem(ChangeEntry::Kind kind, CollectionNo collection, std::string_view id, const Actor& actor,
                          const doc::Document* before, const doc::Document* after) {
  const size_t headAt = commit.arena.size();
  appendLogHead(commit.arena, kind, collection, id, actor, before);
  Commit::LogItem item{static_cast<uint32_t>(headAt), static_cast<uint32_t>(commit.arena.size() - headAt), {}, {}};
  if (before) item.before = before->bytes();
  if (after) item.after = after->bytes();
  commit.bytes += item.headSize + item.before.size() + item.after.size();
  commit.log.push_back(item);
}

Result<> WriteJob::log(ProjectNo project, std::span<const ChangeEntry> changes) {
  if (changes.empty()) return {};
  commit.project = context_.catalogue.project(project);
  if (!commit.project || commit.project->dead) return fail(ErrorCode::notFound, "no such project");
  for (const ChangeEntry& each : changes) {
    addLogItem(each.kind, each.collection, each.id, each.actor, each.before ? &*each.before : nullptr,
               each.after ? &*each.after : nullptr);
  }
  return {};
}

void WriteJob::addLink(const CollectionHandle& handle) {
  const Index* bySeq = nullptr;
  for (const auto& index : handle.schema->indexes) {
    const bool alone = index->spec.keys.size() == 1 && index->spec.keys.front().path == kChainSeq;
    if (alone && index->spec.sparse && !index->spec.unique) bySeq = index.get();
  }
  commit.chained.push_back({static_cast<uint32_t>(commit.ops.size() - 1), handle.state.get(), bySeq});
}

void WriteJob::addGroupCount(const CollectionHandle& handle, const doc::Document& document, int sign) {
  const std::string_view value = document.view().stringOr(handle.schema->countedBy);
  if (value.empty()) return;
  commit.groupCounts.push_back(
      {handle.state.get(), std::string(value), sign, sign * static_cast<int64_t>(document.size())});
}

void WriteJob::addDerived(const CollectionHandle& handle, const doc::Document* before, const doc::Document* after) {
  const CollectionState& state = *handle.state;
  for (const std::vector<doc::FieldPath>* paths : {&handle.schema->marked, &state.marked}) {
    for (const doc::FieldPath& path : *paths) {
      if (before) Marks::addStripes(state.project, state.number, path, *before, commit.stripes);
      if (after) Marks::addStripes(state.project, state.number, path, *after, commit.stripes);
    }
  }
  for (const CounterSource& source : handle.schema->counters) {
    auto was = before ? countedOf(source, *before) : std::nullopt;
    auto is = after ? countedOf(source, *after) : std::nullopt;
    if (was == is) continue;
    if (was) addSum({state.project, source.counter, std::move(was->first)}, -was->second);
    if (is) addSum({state.project, source.counter, std::move(is->first)}, is->second);
  }
}

void WriteJob::addSum(CounterKey key, int64_t by) {
  const auto known = std::ranges::find(sums_, key, &std::pair<CounterKey, int64_t>::first);
  if (known == sums_.end()) {
    sums_.emplace_back(std::move(key), by);
  } else {
    known->second += by;
  }
}

void WriteJob::addCount(CollectionState& collection, int64_t documents, int64_t bytes) {
  if (!commit.counts.empty() && commit.counts.back().collection == &collection) {
    commit.counts.back().documents += documents;
    commit.counts.back().bytes += bytes;
  } else {
    commit.counts.push_back({&collection, documents, bytes});
  }
}

Result<> WriteJob::applyIndex(size_t at, const Index& index, const doc::Document* before, const doc::Document* after) {
  thread_local EntrySet had;
  thread_local EntrySet has;
  const Target& target = targets_[at];
  had.clear();
  has.clear();
  if (after) RETURN_IF_ERROR(collectEntries(index, target.ref.project, *after, target.id, has));
  if (before) RETURN_IF_ERROR(collectEntries(index, target.ref.project, *before, target.id, had));
  recordTraits(target, index, has);
  size_t i = 0;
  size_t j = 0;
  while (i < had.entries.size() || j < has.entries.size()) {
    const int order = i == had.entries.size() ? 1 : j == has.entries.size() ? -1 : had.key(i).compare(has.key(j));
    if (order < 0) removeEntry(at, index, had.key(i++));
    if (order > 0) putEntry(at, index, has, j++, *after, false);
    if (order != 0) continue;
    // An entry of an earlier layout may hold fields that `held` does not show. The first write rewrites it, so that an
    // entry always holds what its document has.
    const bool holdsOther = index.refilling || had.held != has.held;
    if (holdsOther || (index.spec.covering && *before != *after)) putEntry(at, index, has, j, *after, true);
    ++i;
    ++j;
  }
  return {};
}

Result<> WriteJob::fill(IndexNo number) {
  EntrySet entries;
  for (size_t at = 0; at < targets_.size(); ++at) {
    const Target& target = targets_[at];
    const Index* index = target.handle.schema->index(number);
    if (!before_[at] || !index) continue;
    RETURN_IF_ERROR(collectEntries(*index, target.ref.project, *before_[at], target.id, entries));
    recordTraits(target, *index, entries);
    for (size_t i = 0; i < entries.entries.size(); ++i) putEntry(at, *index, entries, i, *before_[at], false);
  }
  return {};
}

void WriteJob::recordTraits(const Target& target, const Index& index, const EntrySet& entries) {
  const uint32_t multikey = entries.multikey & ~index.traits->durableMultikey.load(std::memory_order_relaxed);
  const uint32_t truncated = entries.truncated & ~index.traits->durableTruncated.load(std::memory_order_relaxed);
  if ((multikey | truncated) == 0) return;
  marks_.push_back({&index, target.handle.schema->system() ? 0 : target.ref.project, multikey, truncated});
}

void WriteJob::removeEntry(size_t at, const Index& index, std::string_view key) {
  if (index.spec.unique && !index.ready) {
    releases_.push_back({std::string(key), &index, at});
    return;
  }
  commit.remove(Family::indexes, key);
  if (index.spec.unique) freed_.emplace_back(key);
}

void WriteJob::putEntry(size_t at, const Index& index, const EntrySet& entries, size_t which,
                        const doc::Document& document, bool hadKey) {
  thread_local std::string buffer;
  const std::string_view value = entryValue(index, entries, which, document, targets_[at].id, buffer);
  if (index.spec.unique) {
    claims_.push_back({std::string(entries.key(which)), std::string(value), &index, at, hadKey && !index.ready});
    return;
  }
  commit.put(Family::indexes, entries.key(which), value);
}

void WriteJob::addUniqueLocks() {
  for (const Claim& claim : claims_) unique_.add(claim.key);
  for (const Release& release : releases_) unique_.add(release.key);
}

Result<bool> WriteJob::ownerOf(Tier tier, const Index& index, std::string_view key, std::string& owner) {
  owner.clear();
  rocksdb::PinnableSlice value;
  const rocksdb::Status status = context_.database.get(tier, Family::indexes, key, &value);
  if (status.IsIncomplete()) return false;
  if (!status.ok() && !status.IsNotFound()) return fail(readError(status));
  if (status.ok()) owner = entryParts(index, key, view(value)).id;
  return true;
}

Result<bool> WriteJob::claimUnique(Tier tier) {
  std::string owner;
  std::vector<const Release*> mine;
  std::unordered_set<std::string_view> freed(freed_.begin(), freed_.end());
  for (const Release& release : releases_) {
    TRY(const bool known, ownerOf(tier, *release.index, release.key, owner));
    if (!known) return false;
    if (owner != targets_[release.target].id) continue;
    mine.push_back(&release);
    freed.insert(release.key);
  }
  std::unordered_set<std::string_view> claimed;
  std::vector<const Claim*> granted;
  for (const Claim& claim : claims_) {
    TRY(const bool known, ownerOf(tier, *claim.index, claim.key, owner));
    if (!known) return false;
    if (claim.onlyIfOwned && owner != targets_[claim.target].id) continue;
    const bool taken = !owner.empty() && owner != targets_[claim.target].id && !freed.contains(claim.key);
    const bool twice = claims_.size() > 1 && !claimed.insert(claim.key).second;
    if (taken || twice) return fail(uniqueViolation(claim.index->spec.name, claim.target));
    granted.push_back(&claim);
  }
  for (const Release* release : mine) commit.remove(Family::indexes, release->key);
  for (const Claim* claim : granted) commit.put(Family::indexes, claim->key, claim->value);
  return true;
}

void WriteJob::finish(const WriteOptions& options) {
  for (const ProjectNo number : options.bumpEpochs) {
    ProjectState* project = context_.catalogue.project(number);
    if (project && !project->dead) commit.bumps.push_back(project);
  }
  commit.priority = options.priority;
  commit.trace = options.trace;
  commit.bytes += commit.log.size() * commit.trace.size();
  if (!options.notices.empty()) commit.notices = &options.notices;
  for (const auto& [key, by] : sums_) {
    if (by != 0) commit.counters.push_back({context_.counters.of(key), by});
  }
  // A save of configuration bumps an epoch; a write that only stamps a record (a key's last use) must never be refused.
  commit.limited = options.logged && !isUpkeep(options.actor) && !commit.bumps.empty();
  for (const IndexMarks& marks : marks_) {
    marks.index->traits->multikey.fetch_or(marks.multikey);
    marks.index->traits->truncated.fetch_or(marks.truncated);
    commit.traits.push_back({marks.project, marks.index->number, marks.index->traits.get(), 0, 0});
  }
}

}  // namespace mb::store::embedded
