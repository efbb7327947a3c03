#include "store/testing/memory_store.h"

#include <algorithm>

#include "base/clock.h"
#include "base/work_budget.h"
#include "document/keep_fields.h"
#include "document/value_order.h"
#include "store/configuration_limits.h"
#include "store/plain_sort.h"

namespace mb::store::testing {

namespace {

// The values of a document for the keys of an index, null for missing ones; nullopt if a sparse index excludes it.
std::optional<std::vector<doc::Value>> keysOf(const IndexSpec& spec, doc::DocumentView document) {
  std::vector<doc::Value> keys;
  bool any = false;
  for (const IndexKey& key : spec.keys) {
    const auto value = document.findPath(key.path);
    any = any || value.has_value();
    keys.push_back(value ? doc::Value(*value) : doc::Value());
  }
  if (spec.sparse && !any) return std::nullopt;
  return keys;
}

bool sameKeys(const std::vector<doc::Value>& a, const std::vector<doc::Value>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const doc::Value& x, const doc::Value& y) { return doc::equalValues(x, y); });
}

// Adds the log entry of a change, if it has one.
void log(const WriteTarget& target, const std::optional<doc::Document>& before, const Change& change,
         const WriteOptions& options, std::vector<ChangeEntry>& logged) {
  const bool removes = change.kind == Change::Kind::remove;
  if (target.collection.number < kFirstUserCollection || change.kind == Change::Kind::keep) return;
  if (removes && !before) return;
  ChangeEntry entry;
  entry.collection = target.collection.number;
  entry.id = target.id;
  entry.actor = options.actor;
  entry.trace = options.trace;
  entry.at = SystemClock().now();
  entry.before = before;
  if (!removes) entry.after = change.after;
  using Kind = ChangeEntry::Kind;
  entry.kind = removes ? Kind::remove : !before ? Kind::insert : change.replaces ? Kind::replace : Kind::update;
  logged.push_back(std::move(entry));
}

}  // namespace

MemoryStore::MemoryStore(std::vector<SystemCollection> systemCollections) : system_(std::move(systemCollections)) {}

void MemoryStore::failWith(std::optional<ErrorCode> code) {
  const std::lock_guard lock(mutex_);
  failure_ = code;
}

size_t MemoryStore::injectedFailures() const {
  const std::lock_guard lock(mutex_);
  return injectedFailures_;
}

size_t MemoryStore::reads() const {
  const std::lock_guard lock(mutex_);
  return reads_;
}

size_t MemoryStore::writes() const {
  const std::lock_guard lock(mutex_);
  return writes_;
}

std::vector<doc::Document> MemoryStore::all(CollectionRef collection) const {
  const std::lock_guard lock(mutex_);
  return matching(collection, doc::Filter());
}

void MemoryStore::bumpEpoch(ProjectNo project) {
  const std::lock_guard lock(mutex_);
  ++epochs_[project];
}

Result<> MemoryStore::injected() const {
  if (!failure_) return {};
  ++injectedFailures_;
  return fail(*failure_, "the store fails, as the test asked");
}

Result<CollectionInfo*> MemoryStore::current(const CollectionRef& collection) {
  const auto it = catalogue_.find({collection.project, collection.number});
  if (it == catalogue_.end() || it->second.version != collection.version) {
    return fail(ErrorCode::staleCatalogue, "the collection changed");
  }
  return &it->second;
}

std::vector<IndexSpec> MemoryStore::indexesOf(const CollectionRef& collection) const {
  for (const SystemCollection& system : system_) {
    if (system.number == collection.number) return system.indexes;
  }
  std::vector<IndexSpec> specs;
  const auto it = catalogue_.find({collection.project, collection.number});
  if (it == catalogue_.end()) return specs;
  for (const IndexInfo& index : it->second.indexes) specs.push_back(index.spec);
  return specs;
}

std::string MemoryStore::violated(const CollectionRef& collection, const Documents& documents,
                                  const std::string& id) const {
  const auto self = documents.find(id);
  if (self == documents.end()) return "";
  for (const IndexSpec& spec : indexesOf(collection)) {
    if (!spec.unique) continue;
    const auto keys = keysOf(spec, self->second);
    if (!keys) continue;
    for (const auto& [otherId, other] : documents) {
      if (otherId == id) continue;
      const auto otherKeys = keysOf(spec, other);
      if (otherKeys && sameKeys(*keys, *otherKeys)) return spec.name;
    }
  }
  return "";
}

std::vector<doc::Document> MemoryStore::matching(const CollectionRef& collection, const doc::Filter& filter) const {
  std::vector<doc::Document> found;
  const auto it = documents_.find({collection.project, collection.number});
  if (it == documents_.end()) return found;
  for (const auto& [id, document] : it->second) {
    if (filter.matches(document)) found.push_back(document);
  }
  return found;
}

void MemoryStore::insertAll(const std::vector<Insert>& inserts) {
  for (const Insert& insert : inserts) {
    documents_[{insert.collection.project, insert.collection.number}].insert_or_assign(
        std::string(insert.document.view().stringOr("id")), insert.document);
  }
}

Result<> MemoryStore::checkLimits(ProjectNo project, const std::map<CollectionKey, Documents>& documents,
                                  const std::map<CollectionKey, CollectionInfo>& catalogue) const {
  static const Documents kNone;
  const auto of = [&](const std::map<CollectionKey, Documents>& all, CollectionNo collection) -> const Documents& {
    const auto found = all.find({project, collection});
    return found == all.end() ? kNone : found->second;
  };
  const auto schemas = [&](const std::map<CollectionKey, CollectionInfo>& all, auto&& measure) {
    uint64_t sum = 0;
    for (const auto& [collectionKey, info] : all) sum += collectionKey.first == project ? measure(info) : 0;
    return sum;
  };
  const auto sizes = [&](const std::map<CollectionKey, Documents>& all,
                         const std::map<CollectionKey, CollectionInfo>& infos) {
    std::vector<PartSize> parts{
        {kCollectionsPart, schemas(infos, [](const CollectionInfo& info) { return configuredBytes(info); })}};
    for (const ConfigurationPart& part : kConfigurationParts) {
      uint64_t bytes = 0;
      for (const auto& [_, document] : of(all, part.collection)) bytes += document.size();
      parts.push_back({part.name, bytes});
    }
    return parts;
  };
  for (const ConfigurationPart& part : kConfigurationParts) {
    const size_t after = of(documents, part.collection).size();
    const bool more = after > of(documents_, part.collection).size();
    if (part.limit > 0 && more && after > part.limit + part.uncounted) return fail(tooMany(part));
  }
  const auto vectors = [](const CollectionInfo& info) -> uint64_t {
    return info.config.view().find(kVectorConfigField).has_value() ? 1 : 0;
  };
  const uint64_t configs = schemas(catalogue, vectors);
  if (configs > kMaxVectorConfigs && configs > schemas(catalogue_, vectors)) {
    return fail(tooMany(kMaxVectorConfigs, kVectorConfigs));
  }
  const auto sum = [](const std::vector<PartSize>& parts) {
    uint64_t bytes = 0;
    for (const PartSize& part : parts) bytes += part.bytes;
    return bytes;
  };
  std::vector<PartSize> after = sizes(documents, catalogue);
  if (!passesConfigurationLimit(sum(sizes(documents_, catalogue_)), sum(after))) return {};
  return fail(configurationTooLarge(std::move(after)));
}

Task<std::optional<doc::Document>> MemoryStore::get(CollectionRef collection, std::string id, ReadOptions options) {
  CO_TRY(std::optional<VersionedDocument> found, co_await getVersioned(collection, std::move(id), options));
  if (!found) co_return std::nullopt;
  co_return std::move(found->document);
}

Task<std::optional<VersionedDocument>> MemoryStore::getVersioned(CollectionRef collection, std::string id,
                                                                 ReadOptions) {
  const std::lock_guard lock(mutex_);
  ++reads_;
  CO_RETURN_IF_ERROR(injected());
  const auto it = documents_.find({collection.project, collection.number});
  if (it == documents_.end()) co_return std::nullopt;
  const auto found = it->second.find(id);
  if (found == it->second.end()) co_return std::nullopt;
  co_return VersionedDocument{found->second, versionOf(collection, id)};
}

DocumentVersion MemoryStore::versionOf(const CollectionRef& collection, const std::string& id) const {
  const auto found = versions_.find({{collection.project, collection.number}, id});
  return found == versions_.end() ? 0 : found->second;
}

void MemoryStore::forgetVersion(CollectionRef collection, const std::string& id) {
  const std::lock_guard lock(mutex_);
  versions_.erase({{collection.project, collection.number}, id});
}

Task<std::vector<std::optional<doc::Document>>> MemoryStore::getMany(CollectionRef collection,
                                                                     std::vector<std::string> ids,
                                                                     std::shared_ptr<const doc::FieldSet> hidden,
                                                                     ReadOptions) {
  const std::lock_guard lock(mutex_);
  ++reads_;
  CO_RETURN_IF_ERROR(injected());
  const Documents& documents = documents_[{collection.project, collection.number}];
  std::vector<std::optional<doc::Document>> out;
  size_t bytes = 0;
  for (const std::string& id : ids) {
    const auto found = documents.find(id);
    std::optional<doc::Document>& document = out.emplace_back();
    if (found == documents.end()) continue;
    document = hidden ? hidden->strip(found->second) : found->second;
    bytes += document->size();
    if (bytes > kMaxResultBytes) co_return fail(ErrorCode::payloadTooLarge, "the result would be larger than 16 MiB");
  }
  co_return out;
}

Task<QueryResult> MemoryStore::find(Query query) {
  const std::lock_guard lock(mutex_);
  ++reads_;
  CO_RETURN_IF_ERROR(injected());
  QueryResult result;
  result.known = query.projection != Projection::unorderedIds;
  if (!result.known) co_return result;
  std::vector<doc::Document> found = matching(query.collection, query.filter);
  CO_TRY(std::vector<SortedDocument> rows, sortDocuments(query.sort, std::move(found)));
  if (query.explain) result.explain.documentsExamined = rows.size();
  if (!query.after.empty()) dropUpTo(query.sort, query.after, rows);
  size_t bytes = 0;
  for (uint64_t i = query.skip; i < rows.size(); ++i) {
    if (result.documents.size() == query.limit) {
      result.more = query.seesMore;
      break;
    }
    doc::Document& document = rows[i].document;
    if (query.projection != Projection::documents) document = idDocument(document.view().stringOr("id"));
    if (query.hidden) document = query.hidden->strip(document);
    if (query.fields) document = doc::keepFields(document, *query.fields);
    bytes += document.size();
    if (bytes > query.maxBytes && !query.paged) {
      co_return fail(ErrorCode::payloadTooLarge, "the result would be larger than 16 MiB");
    }
    result.more = bytes > query.maxBytes && !result.documents.empty();
    if (result.more) break;
    result.documents.push_back(std::move(document));
    if (!query.paged) continue;
    result.next = pageEnd(query.sort, rows[i]);
  }
  co_return result;
}

Task<uint64_t> MemoryStore::count(CollectionRef collection, doc::Filter filter, Deadline) {
  const std::lock_guard lock(mutex_);
  ++reads_;
  CO_RETURN_IF_ERROR(injected());
  co_return matching(collection, filter).size();
}

void MemoryStore::beforeNextWrite(std::function<void()> hook) {
  const std::lock_guard lock(mutex_);
  beforeWrite_ = std::move(hook);
}

Task<WriteOutcome> MemoryStore::write(Write write, WriteCallback callback) {
  std::function<void()> hook;
  {
    const std::lock_guard lock(mutex_);
    hook.swap(beforeWrite_);
  }
  if (hook) hook();
  const ProjectNo project = write.project();
  const uint64_t last = feed_.lastPosition(project);
  WriteOutcome outcome;
  CO_TRY(const bool changed, writeNow(write, callback, outcome.versions));
  const uint64_t position = feed_.lastPosition(project);
  if (position > last) feed_.notifyListeners(project);
  if (changed && !write.options.notices.empty()) {
    notices_.notifyBatch([&](const auto& notify) {
      for (const Notice& notice : write.options.notices) notify(notice);
    });
  }
  outcome.position = position > last ? position : 0;
  co_return outcome;
}

std::optional<uint64_t> MemoryStore::keptAfter(ProjectNo project) const {
  const std::lock_guard lock(mutex_);
  std::map<ProjectNo, uint64_t> floors;
  for (const SystemCollection& system : system_) {
    const auto held = documents_.find({kControlProject, system.number});
    if (!system.logFloor || held == documents_.end()) continue;
    for (const auto& [_, document] : held->second) addLogFloor(*system.logFloor, document, floors);
  }
  const auto floor = floors.find(project);
  return floor == floors.end() ? std::nullopt : std::optional(floor->second);
}

int64_t MemoryStore::counted(const std::map<CollectionKey, Documents>& documents, const CounterKey& key) const {
  int64_t sum = 0;
  for (const SystemCollection& system : system_) {
    const auto held = documents.find({key.project, system.number});
    if (held == documents.end()) continue;
    for (const CounterSource& source : system.counters) {
      if (source.counter != key.counter) continue;
      for (const auto& [_, document] : held->second) {
        const auto found = countedOf(source, document);
        if (found && found->first == key.group) sum += found->second;
      }
    }
  }
  return sum;
}

Result<> MemoryStore::checkCounters(const std::vector<CounterLimit>& limits,
                                    const std::map<CollectionKey, Documents>& after) const {
  for (const CounterLimit& limit : limits) {
    const int64_t sum = counted(after, limit.counter);
    if (sum <= limit.max || sum <= counted(documents_, limit.counter)) continue;
    std::string name;
    for (const SystemCollection& system : system_) {
      const auto source = std::ranges::find(system.counters, limit.counter.counter, &CounterSource::counter);
      if (source != system.counters.end()) name = source->name;
    }
    return fail(limitViolation(name, limit.max));
  }
  return {};
}

Result<> MemoryStore::checkConditions(const Write& write) const {
  for (const Absence& condition : write.conditions()) {
    const doc::Filter filter = doc::Filter::equals(condition.path, condition.value);
    const bool holds = std::ranges::any_of(matching(condition.collection, filter), [&](const doc::Document& each) {
      return condition.except.empty() || each.view().stringOr("id") != condition.except;
    });
    if (holds) return fail(conditionViolation(condition));
  }
  return {};
}

Result<bool> MemoryStore::writeNow(Write& write, const WriteCallback& callback,
                                   std::vector<DocumentVersion>& versions) {
  const std::lock_guard lock(mutex_);
  ++writes_;
  RETURN_IF_ERROR(injected());
  const WriteOptions& options = write.options;
  const ProjectNo logging = write.project();
  RETURN_IF_ERROR(checkNotices(options.notices));
  RETURN_IF_ERROR(checkConditions(write));
  std::vector<WriteTarget> targets = write.takeTargets();
  std::vector<std::optional<doc::Document>> before;
  std::vector<DocumentVersion> versionsBefore;
  size_t held = 0;
  const auto read = [&](const WriteTarget& target) -> Result<> {
    const bool user = target.collection.number >= kFirstUserCollection;
    if (user) RETURN_IF_ERROR(current(target.collection));
    const Documents& documents = documents_[{target.collection.project, target.collection.number}];
    const auto found = documents.find(target.id);
    before.push_back(found == documents.end() ? std::nullopt : std::optional(found->second));
    versionsBefore.push_back(before.back() ? versionOf(target.collection, target.id) : 0);
    if (user && target.access == Access::hold && before.back()) held += before.back()->size();
    if (held > kMaxHeldBytes) return fail(heldTooLarge());
    return {};
  };
  for (const WriteTarget& target : targets) RETURN_IF_ERROR(read(target));
  Changes computed(targets.size());
  for (int run = 1; callback && run <= 2; ++run) {
    computed = Changes(targets.size());
    // A copy for each run: a view that a run keeps does not outlive it.
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
    const std::vector<std::optional<doc::Document>> copies = before;
    const WorkBudget work(kCoreWork);
    auto done = callback(PreImages(copies, versionsBefore), computed);
    RETURN_IF_ERROR(work.check());
    RETURN_IF_ERROR(std::move(done));
  }
  std::vector<Change>& changes = computed.all();
  bool anything = !callback;
  for (size_t i = 0; i < targets.size(); ++i) {
    const bool changed =
        changes[i].kind == Change::Kind::put || (changes[i].kind == Change::Kind::remove && before[i].has_value());
    if (changes[i].kind != Change::Kind::keep && targets[i].access != Access::write) {
      return fail(ErrorCode::internal, "a document that is only held or peeked at is changed");
    }
    anything = anything || changed;
  }
  for (Insert& insert : write.takeInserts()) {
    targets.push_back({insert.collection, insert.id(), insert.idIsNew});
    RETURN_IF_ERROR(read(targets.back()));
    const bool exists = before.back().has_value();
    if (exists && anything && insert.ifPresent == Insert::IfPresent::fail) {
      return fail(ErrorCode::conflict, "a document to be inserted exists already");
    }
    changes.push_back(anything && !exists ? Change::put(std::move(insert.document)) : Change::keep());
  }
  // Without a callback the inserts decide.
  anything = std::ranges::any_of(changes, [](const Change& each) { return each.kind != Change::Kind::keep; });

  std::map<CollectionKey, Documents> after = documents_;
  std::vector<std::pair<CollectionRef, std::optional<doc::Document>>> touched;
  std::vector<ChangeEntry> logged;
  for (size_t i = 0; i < targets.size(); ++i) {
    Documents& documents = after[{targets[i].collection.project, targets[i].collection.number}];
    if (options.logged) log(targets[i], before[i], changes[i], options, logged);
    if (changes[i].kind != Change::Kind::keep) touched.push_back({targets[i].collection, before[i]});
    if (changes[i].kind == Change::Kind::put) touched.push_back({targets[i].collection, changes[i].after});
    if (changes[i].kind == Change::Kind::put) documents.insert_or_assign(targets[i].id, std::move(changes[i].after));
    if (changes[i].kind == Change::Kind::remove) documents.erase(targets[i].id);
  }
  for (size_t i = 0; i < targets.size(); ++i) {
    if (changes[i].kind != Change::Kind::put) continue;
    const std::string index = violated(
        targets[i].collection, after[{targets[i].collection.project, targets[i].collection.number}], targets[i].id);
    if (!index.empty()) return fail(uniqueViolation(index, i));
  }
  const bool configures = std::ranges::any_of(
      targets, [](const WriteTarget& target) { return configurationPart(target.collection.number) != nullptr; });
  if (configures && options.logged && !isUpkeep(options.actor) && !options.bumpEpochs.empty()) {
    RETURN_IF_ERROR(checkLimits(targets[0].collection.project, after, catalogue_));
  }
  RETURN_IF_ERROR(checkCounters(options.limits, after));
  documents_ = std::move(after);
  for (size_t i = 0; i < targets.size(); ++i) {
    const CollectionRef& collection = targets[i].collection;
    if (changes[i].kind != Change::Kind::put || collection.number < kFirstUserCollection) continue;
    versions.resize(targets.size());
    versions[i] = versions_[{{collection.project, collection.number}, targets[i].id}] = ++lastVersion_;
  }
  for (const auto& [collection, document] : touched) moveMarks(collection, document);
  for (ChangeEntry& each : write.takeLogged()) {
    each.at = SystemClock().now();
    each.trace = options.trace;
    logged.push_back(std::move(each));
  }
  if (!logged.empty()) feed_.add(logging, std::move(logged));
  for (const ProjectNo project : options.bumpEpochs) ++epochs_[project];
  return anything;
}

Task<CollectionStats> MemoryStore::stats(CollectionRef collection, ReadOptions) {
  const std::lock_guard lock(mutex_);
  CO_RETURN_IF_ERROR(injected());
  CollectionStats stats;
  for (const doc::Document& document : matching(collection, doc::Filter())) {
    ++stats.documents;
    stats.bytes += document.size();
  }
  co_return stats;
}

Task<CollectionStats> MemoryStore::statsByField(CollectionRef collection, std::string value, ReadOptions) {
  const std::lock_guard lock(mutex_);
  CO_RETURN_IF_ERROR(injected());
  CollectionStats stats;
  const auto system = std::ranges::find(system_, collection.number, &SystemCollection::number);
  if (system == system_.end() || system->countedBy.empty()) co_return stats;
  for (const doc::Document& document : matching(collection, doc::Filter())) {
    if (document.view().stringOr(system->countedBy) != value) continue;
    ++stats.documents;
    stats.bytes += document.size();
  }
  co_return stats;
}

Task<int64_t> MemoryStore::counter(CounterKey key) {
  const std::lock_guard lock(mutex_);
  CO_RETURN_IF_ERROR(injected());
  co_return counted(documents_, key);
}

}  // namespace mb::store::testing
