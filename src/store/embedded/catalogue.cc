#include "store/embedded/catalogue.h"

#include "store/embedded/keys.h"

namespace mb::store::embedded {

Catalogue::~Catalogue() {
  for (auto& slot : chunks_) {
    Chunk* chunk = slot.load();
    if (!chunk) continue;
    for (auto& project : chunk->projects) delete project.load();
    delete chunk;
  }
}

ProjectState* Catalogue::project(ProjectNo number) const {
  if (number / kChunk >= chunks_.size()) return nullptr;
  const Chunk* chunk = chunks_[number / kChunk].load(std::memory_order_acquire);
  return chunk ? chunk->projects[number % kChunk].load(std::memory_order_acquire) : nullptr;
}

ProjectState& Catalogue::ensureProject(ProjectNo number) {
  if (ProjectState* known = project(number)) return *known;
  const std::lock_guard lock(growth_);
  auto& slot = chunks_.at(number / kChunk);
  Chunk* chunk = slot.load(std::memory_order_acquire);
  if (!chunk) {
    chunk = new Chunk;
    slot.store(chunk, std::memory_order_release);
  }
  auto& entry = chunk->projects[number % kChunk];
  if (!entry.load(std::memory_order_acquire)) entry.store(new ProjectState(number), std::memory_order_release);
  highest_ = std::max(highest_.load(), number);
  return *entry.load(std::memory_order_acquire);
}

void Catalogue::addProject(ProjectNo number) {
  ensureProject(number);
}

CollectionHandle Catalogue::collection(ProjectNo projectNo, CollectionNo number) const {
  ProjectState* state = project(projectNo);
  if (!state || state->dead.load(std::memory_order_acquire)) return {};
  {
    const std::shared_lock lock(state->mutex);
    const auto found = state->collections.find(number);
    if (found != state->collections.end()) return found->second;
  }
  const auto system = system_.find(number);
  if (system == system_.end()) return {};
  const std::unique_lock lock(state->mutex);
  CollectionHandle& handle = state->collections[number];
  if (!handle) {
    // applyCounts() has added the collections that had documents at the start.
    handle = {std::make_shared<CollectionState>(projectNo, number), system->second};
  }
  return handle;
}

std::vector<SchemaPtr> Catalogue::userCollections(ProjectNo projectNo) const {
  std::vector<SchemaPtr> schemas;
  const ProjectState* state = project(projectNo);
  if (!state || state->dead.load(std::memory_order_acquire)) return schemas;
  const std::shared_lock lock(state->mutex);
  for (auto at = state->collections.lower_bound(kFirstUserCollection); at != state->collections.end(); ++at) {
    schemas.push_back(at->second.schema);
  }
  return schemas;
}

std::vector<std::shared_ptr<CollectionState>> Catalogue::states(ProjectNo projectNo) const {
  std::vector<std::shared_ptr<CollectionState>> states;
  const ProjectState* state = project(projectNo);
  if (!state) return states;
  const std::shared_lock lock(state->mutex);
  for (const auto& [_, handle] : state->collections) states.push_back(handle.state);
  return states;
}

uint64_t Catalogue::lowWater(ProjectNo projectNo) const {
  const ProjectState* state = project(projectNo);
  if (!state) return 0;
  return state->dead.load(std::memory_order_acquire) ? UINT64_MAX : state->lowWater.load(std::memory_order_acquire);
}

void Catalogue::forEachProject(const std::function<void(ProjectState&)>& visit) const {
  const ProjectNo highest = highest_;
  for (ProjectNo number = kControlProject; number <= highest; ++number) {
    ProjectState* state = project(number);
    if (state && !state->dead.load(std::memory_order_acquire)) visit(*state);
  }
}

void Catalogue::install(ProjectNo projectNo, SchemaPtr schema) {
  ProjectState* state = project(projectNo);
  const std::unique_lock lock(state->mutex);
  CollectionHandle& handle = state->collections[schema->number];
  if (!handle.state) handle.state = std::make_shared<CollectionState>(projectNo, schema->number);
  handle.schema = std::move(schema);
}

void Catalogue::remove(ProjectNo projectNo, CollectionNo collection) {
  ProjectState* state = project(projectNo);
  const std::unique_lock lock(state->mutex);
  state->collections.erase(collection);
}

std::string Catalogue::numbersRow() const {
  std::string value;
  appendU32(value, nextProject);
  appendU32(value, nextSystemIndex_);
  return value;
}

void Catalogue::applyCounts() {
  for (const auto& [where, documents, bytes] : counts_) {
    // Empty for a dropped project or collection.
    const CollectionHandle handle = collection(where.first, where.second);
    if (!handle) continue;
    CollectionState& state = *handle.state;
    state.documents = state.nextDocuments = documents;
    state.bytes = state.nextBytes = bytes;
  }
  counts_ = {};
  for (const auto& [where, ms] : lastWrites_) {
    if (const CollectionHandle handle = collection(where.first, where.second)) {
      handle.state->lastWriteMs = handle.state->nextWriteMs = ms;
    }
  }
  lastWrites_ = {};
  for (const auto& [where, head] : heads_) {
    if (const CollectionHandle handle = collection(where.first, where.second)) handle.state->nextHead = head;
  }
  heads_ = {};
  for (const GroupRow& row : groupCounts_) {
    const CollectionHandle handle = collection(row.where.first, row.where.second);
    if (handle) handle.state->groupCounts.set(row.value, row.stats);
  }
  groupCounts_ = {};
}

Result<ChainHead> Catalogue::chainHead(ProjectNo projectNo, CollectionNo collection) const {
  rocksdb::PinnableSlice value;
  const auto status =
      database_->get(Tier::disk, Family::system, row::of(row::kChainHead, projectNo, collection), &value);
  if (status.IsNotFound()) return ChainHead{};
  if (!status.ok()) return fail(readError(status));
  return decodeChainHead(view(value));
}

std::string encodeChainHead(const ChainHead& head) {
  std::string value;
  appendU64(value, head.seq);
  value.append(reinterpret_cast<const char*>(head.hash.data()), head.hash.size());
  return value;
}

Result<ChainHead> decodeChainHead(std::string_view value) {
  ChainHead head;
  if (value.size() != 8 + head.hash.size()) {
    return fail(ErrorCode::internal, "the database is corrupt: a row of kind A in its catalogue");
  }
  head.seq = readU64(value.data());
  std::memcpy(head.hash.data(), value.data() + 8, head.hash.size());
  return head;
}

Result<> Catalogue::load(Database& database, const std::vector<SystemCollection>& system) {
  database_ = &database;
  RETURN_IF_ERROR(checkFormat());
  ensureProject(kControlProject);
  RETURN_IF_ERROR(loadRows());
  RETURN_IF_ERROR(bringSystemToSpec(system));
  applyCounts();
  RETURN_IF_ERROR(findTraced());
  return bringCountersToSpec();
}

// One seek for each project that has traces.
Result<> Catalogue::findTraced() {
  const std::unique_ptr<rocksdb::Iterator> at(
      database_->db().NewIterator(Database::reading(Tier::disk), database_->family(Family::traces)));
  for (at->SeekToFirst(); at->Valid();) {
    const ProjectNo number = readU32(at->key().data());
    if (ProjectState* state = project(number)) state->traced = true;
    at->Seek(logKey(number + 1, 0));
  }
  if (!at->status().ok()) return fail(readError(at->status()));
  return {};
}

Result<> Catalogue::checkFormat() {
  rocksdb::PinnableSlice value;
  const auto status = database_->get(Tier::disk, Family::system, row::plain(row::kFormat), &value);
  std::string format;
  appendU32(format, kFormatVersion);
  rocksdb::WriteBatch batch;
  batch.Put(database_->family(Family::system), row::plain(row::kFormat), format);
  if (status.IsNotFound()) {
    std::string epoch;
    appendU64(epoch, 1);
    batch.Put(database_->family(Family::system), row::of(row::kEpoch, kControlProject), epoch);
    database_->write(batch);
    return {};
  }
  if (!status.ok() || value.size() != 4) return fail(ErrorCode::internal, "the database is corrupt: no format version");
  const uint32_t found = readU32(value.data());
  const bool reading = database_->opening() == 0;
  if (found < kFormatVersion && !reading) database_->write(batch);
  if (found <= kFormatVersion) return {};
  return fail(ErrorCode::unavailable,
              fmt::format("the data directory was written by a newer version of Manybase (format {}, this one reads up "
                          "to {}): start that version, or restore a backup that was made before the upgrade",
                          found, kFormatVersion));
}

void Catalogue::applyMarks() {
  for (const auto& [where, marks] : marks_) {
    const auto apply = [&, number = where.second, multikey = marks.first,
                        truncated = marks.second](const Schema& schema) {
      const Index* index = schema.index(number);
      if (!index) return;
      index->traits->multikey = index->traits->durableMultikey = multikey;
      index->traits->truncated = index->traits->durableTruncated = truncated;
    };
    if (where.first == 0) {
      for (const auto& [_, schema] : system_) apply(*schema);
    } else if (const ProjectState* state = project(where.first)) {
      for (const auto& [_, handle] : state->collections) apply(*handle.schema);
    }
  }
  marks_.clear();
}

Result<> Catalogue::loadRow(std::string_view key, std::string_view value) {
  const auto number = [&](size_t at) { return key.size() >= at + 4 ? readU32(key.data() + at) : 0; };
  const auto holds = [&](size_t bytes) -> Result<> {
    if (value.size() == bytes) return {};
    return fail(ErrorCode::internal, fmt::format("the database is corrupt: a row of kind {} in its catalogue", key[0]));
  };
  switch (key.front()) {
    case row::kIdFloor:
      RETURN_IF_ERROR(holds(8));
      idFloorMs = static_cast<int64_t>(readU64(value.data()));
      return {};
    case row::kNextNumbers:
      RETURN_IF_ERROR(holds(8));
      nextProject = readU32(value.data());
      nextSystemIndex_ = readU32(value.data() + 4);
      return {};
    case row::kNextNumber:
      RETURN_IF_ERROR(holds(4));
      ensureProject(number(1)).nextNumber = readU32(value.data());
      return {};
    case row::kCollection: {
      TRY(Schema schema, decodeSchema(number(5), value));
      ensureProject(number(1)).nextSchemaBytes += configuredBytes(schema);
      install(number(1), std::make_shared<const Schema>(std::move(schema)));
      return {};
    }
    case row::kSystemCollection: {
      TRY(Schema schema, decodeSchema(number(1), value));
      SchemaPtr& known = system_[schema.number];
      known = std::make_shared<const Schema>(std::move(schema));
      return {};
    }
    case row::kEpoch: {
      RETURN_IF_ERROR(holds(8));
      ProjectState& state = ensureProject(number(1));
      state.nextEpoch = readU64(value.data());
      state.epoch = state.nextEpoch;
      return {};
    }
    case row::kChangeLog: {
      RETURN_IF_ERROR(holds(24));
      ProjectState& state = ensureProject(number(1));
      state.nextPosition = readU64(value.data());
      state.lastPosition = state.nextPosition;
      state.nextLoggedBytes = readU64(value.data() + 8);
      state.loggedBytes = state.nextLoggedBytes;
      state.lastLoggedMs = static_cast<int64_t>(readU64(value.data() + 16));
      return {};
    }
    case row::kCount:
      RETURN_IF_ERROR(holds(16));
      counts_.push_back({{number(1), number(5)}, readU64(value.data()), readU64(value.data() + 8)});
      return {};
    case row::kLastWrite:
      RETURN_IF_ERROR(holds(8));
      lastWrites_.push_back({{number(1), number(5)}, static_cast<int64_t>(readU64(value.data()))});
      return {};
    case row::kGroupCount:
      RETURN_IF_ERROR(holds(16));
      groupCounts_.push_back({{number(1), number(5)},
                              std::string(key.substr(std::min(key.size(), row::of(row::kGroupCount, 0, 0).size()))),
                              {readU64(value.data()), readU64(value.data() + 8)}});
      return {};
    case row::kChainHead: {
      TRY(const ChainHead head, decodeChainHead(value));
      heads_.push_back({{number(1), number(5)}, head});
      return {};
    }
    case row::kCounter: {
      RETURN_IF_ERROR(holds(8));
      const auto counter = counterOfRow(key);
      if (counter) counters.set(*counter, static_cast<int64_t>(readU64(value.data())));
      return {};
    }
    case row::kCounterStamp:
      counterStamp_ = value;
      return {};
    case row::kLogLowWater:
      RETURN_IF_ERROR(holds(8));
      ensureProject(number(1)).lowWater = readU64(value.data());
      return {};
    case row::kIndexTraits:
      RETURN_IF_ERROR(holds(8));
      marks_.emplace_back(std::pair(number(1), number(5)), std::pair(readU32(value.data()), readU32(value.data() + 4)));
      return {};
    case row::kTombstone: {
      auto tombstone = doc::Document::fromUntrusted(std::string(value));
      if (!tombstone) return fail(ErrorCode::internal, "the database is corrupt: a tombstone in its catalogue");
      const doc::DocumentView view = *tombstone;
      Tombstone loaded;
      loaded.row = readU64(key.data() + 1);
      for (const doc::Element& element : view) {
        if (element.key == "project") loaded.project = static_cast<ProjectNo>(element.value.toInteger().value_or(0));
        if (element.key == "collection")
          loaded.collection = static_cast<CollectionNo>(element.value.toInteger().value_or(0));
        if (element.key == "wholeProject") loaded.wholeProject = element.value.asBool();
        if (element.key != "indexes") continue;
        for (const doc::Element& index : element.value.asDocument()) {
          loaded.indexes.push_back(static_cast<IndexNo>(index.value.toInteger().value_or(0)));
        }
      }
      if (loaded.wholeProject) ensureProject(loaded.project).dead = true;
      nextTombstone = std::max(nextTombstone.load(), loaded.row + 1);
      tombstones.push_back(std::move(loaded));
      return {};
    }
    default:
      return {};
  }
}

Result<> Catalogue::loadRows() {
  const std::unique_ptr<rocksdb::Iterator> at(
      database_->db().NewIterator(Database::reading(Tier::disk), database_->family(Family::system)));
  for (at->SeekToFirst(); at->Valid(); at->Next()) {
    const std::string_view key = view(at->key());
    if (key.empty()) continue;
    RETURN_IF_ERROR(loadRow(key, view(at->value())));
  }
  if (!at->status().ok()) return fail(ErrorCode::internal, "the database is corrupt: " + at->status().ToString());
  applyMarks();
  return {};
}

std::string encodeTombstone(const Tombstone& tombstone) {
  doc::BsonWriter writer;
  writer.appendInt64("project", tombstone.project);
  writer.appendBool("wholeProject", tombstone.wholeProject);
  writer.appendInt64("collection", tombstone.collection);
  writer.beginArray("indexes");
  for (size_t i = 0; i < tombstone.indexes.size(); ++i) {
    writer.appendInt64(std::string(doc::arrayKey(i)), tombstone.indexes[i]);
  }
  writer.end();
  return writer.finish().takeBytes();
}

}  // namespace mb::store::embedded
