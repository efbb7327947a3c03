#include "vectors/vector_index_manager.h"

#include <algorithm>
#include <charconv>

#include "base/log.h"

namespace mb::vectors {

namespace {

using namespace std::chrono_literals;

constexpr auto kRetryDelay = 500ms;
constexpr auto kSaveCheckInterval = 100ms;
constexpr int64_t kLookMs = 500;
constexpr auto kMaxWait = 2s;
constexpr auto kMaxEvictionWait = 5s;
constexpr auto kReopenDelay = 30s;  // after an index has failed
constexpr int64_t kRecentlyMs = 60'000;
// An index is saved once it has kUnsavedChanges unsaved changes or a tenth of its vectors, whichever is more, or once a
// change is unsaved for kUnsavedMs. A failed save is retried after kUnsavedMs.
constexpr uint64_t kUnsavedChanges = 10'000;
constexpr int64_t kUnsavedMs = 60'000;

// Removes a decimal number and the space after it from the front of `text`; nullopt if it does not start with them.
std::optional<uint64_t> takeNumber(std::string_view& text) {
  uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end == text.data() + text.size() || *end != ' ') return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()) + 1);
  return number;
}

Error notReady(const LiveIndex& live) {
  if (live.state() == IndexState::failed) return Error(ErrorCode::unavailable, live.problem());
  const uint64_t expected = live.expected;
  const uint64_t percent = expected == 0 ? 0 : std::min<uint64_t>(99, live.done * 100 / expected);
  return Error(ErrorCode::unavailable, live.state() == IndexState::building
                                           ? fmt::format("the vector index of \"{}\" is being built ({} %): try again",
                                                         live.place.field->config.name, percent)
                                           : fmt::format("the vector index of \"{}\" is being loaded: try again",
                                                         live.place.field->config.name))
      .withRetryAfter(1);
}

}  // namespace

VectorIndexManager::VectorIndexManager(VectorIndexManagerDeps deps) : deps_(std::move(deps)) {}
VectorIndexManager::~VectorIndexManager() = default;

void VectorIndexManager::start() {
  listener_ = deps_.feed.listen([this](store::ProjectNo project, uint64_t) { wakeProject(project); });
  saves_.start(deps_.cores.at(0).get_executor(), tasks_, {.interval = kSaveCheckInterval},
               [this] { return wakeForSaves(); });
}

bool VectorIndexManager::stop(std::chrono::milliseconds limit) {
  listener_.reset();
  stopping_ = true;
  saves_.stop();
  drain();
  for (const LiveIndexPtr& live : all()) live->wake();
  memoryFreed_.notifyAll();
  return tasks_.closeAndWait(limit);
}

void VectorIndexManager::drain() {
  draining_ = true;
  for (const LiveIndexPtr& live : all()) live->changed.notifyAll();
}

std::vector<LiveIndexPtr> VectorIndexManager::all() const {
  const std::scoped_lock lock(mutex_);
  std::vector<LiveIndexPtr> found;
  for (const auto& [project, fields] : byProject_) {
    for (const auto& [id, live] : fields) found.push_back(live);
  }
  return found;
}

void VectorIndexManager::wakeProject(store::ProjectNo project) {
  const std::scoped_lock lock(mutex_);
  const auto fields = byProject_.find(project);
  if (fields == byProject_.end()) return;
  for (const auto& [id, live] : fields->second) live->wake();
}

void VectorIndexManager::end(LiveIndex& live) {
  live.ending = true;
  live.wake();
  memoryFreed_.notifyAll();
}

// ---- calls of other classes

LiveIndexPtr VectorIndexManager::find(store::ProjectNo project, const std::string& fieldId) const {
  const std::scoped_lock lock(mutex_);
  const auto fields = byProject_.find(project);
  if (fields == byProject_.end()) return nullptr;
  const auto live = fields->second.find(fieldId);
  return live == fields->second.end() ? nullptr : live->second;
}

LiveIndexPtr VectorIndexManager::open(const FieldPlace& place) {
  LiveIndexPtr started;
  {
    const std::scoped_lock lock(mutex_);
    LiveIndexPtr& live = byProject_[place.project][place.field->id];
    if (live) {
      const IndexState state = live->state();
      const bool failedRecently =
          state == IndexState::failed && std::chrono::steady_clock::now() - live->failedAt() < kReopenDelay;
      const bool over = state == IndexState::ended || live->ending || (state == IndexState::failed && !failedRecently);
      const bool same = live->options == optionsOf(place.field->config) && live->place.collection == place.collection;
      if (same && !over) return live;
      if (!same) live->dropped = true;
      end(*live);
    }
    live = started = std::make_shared<LiveIndex>(place, deps_.directory);
  }
  const int home = static_cast<int>(place.project % static_cast<unsigned>(deps_.cores.count()));
  if (!tasks_.spawn(deps_.cores.at(home).get_executor(), maintain(this, started))) {
    started->failWith("the server is stopping");
  }
  return started;
}

Task<std::shared_ptr<VectorIndex>> VectorIndexManager::use(FieldPlace place, store::Deadline deadline) {
  const uint64_t wanted = deps_.feed.lastPosition(place.project);
  const auto until = std::min<store::Deadline>(deadline, std::chrono::steady_clock::now() + kMaxWait);
  LiveIndexPtr live = open(place);
  live->lastUsedMs = steadyMs();
  uint64_t commits = live->commits();
  while (true) {
    const IndexState state = live->state();
    if (state == IndexState::ready && live->contains(wanted, commits)) break;
    if (state == IndexState::failed) co_return fail(notReady(*live));
    // It was evicted since: load it from its file again.
    if (state == IndexState::ended) {
      live = open(place);
      live->lastUsedMs = steadyMs();
      commits = live->commits();
    }
    const auto usable = [index = live.get(), wanted, commits] {
      return index->settled() && (index->state() != IndexState::ready || index->contains(wanted, commits));
    };
    if (co_await live->changed.waitUntil(until, usable)) continue;
    // Writes come faster than the index applies them: it is searched as it is.
    if (live->state() == IndexState::ready) break;
    co_return fail(notReady(*live));
  }
  std::shared_ptr<VectorIndex> index = live->index();
  if (!index) co_return fail(notReady(*live));
  co_return index;
}

Async<void> VectorIndexManager::settled(LiveIndexPtr live) {
  const auto over = [this, &live] { return draining_ || live->settled(); };
  co_await live->changed.waitUntil(store::Deadline::max(), over);
}

void VectorIndexManager::embedded(store::ProjectNo project, const std::string& fieldId) {
  if (const LiveIndexPtr live = find(project, fieldId)) live->embedded();
}

void VectorIndexManager::drop(store::ProjectNo project, const std::string& fieldId) {
  const std::scoped_lock lock(mutex_);
  const auto fields = byProject_.find(project);
  if (fields == byProject_.end()) return;
  const auto live = fields->second.find(fieldId);
  if (live == fields->second.end()) return;
  live->second->dropped = true;
  end(*live->second);
  fields->second.erase(live);
}

void VectorIndexManager::dropOthers(const std::unordered_map<store::ProjectNo, std::vector<std::string>>& all) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(byProject_, [&](const auto& project) {
    if (all.contains(project.first)) return false;
    for (const auto& [id, live] : project.second) {
      live->dropped = true;
      end(*live);
    }
    return true;
  });
}

void VectorIndexManager::sweep(const std::unordered_map<store::ProjectNo, std::vector<std::string>>& all) const {
  std::error_code ignored;
  for (const auto& folder : std::filesystem::directory_iterator(deps_.directory, ignored)) {
    const std::string name = folder.path().filename().string();
    const auto known = std::ranges::find_if(all, [&](const auto& each) { return std::to_string(each.first) == name; });
    if (known == all.end()) {
      std::filesystem::remove_all(folder.path(), ignored);
      continue;
    }
    for (const auto& file : std::filesystem::directory_iterator(folder.path(), ignored)) {
      const std::string text = file.path().filename().string();
      const bool wanted =
          std::ranges::any_of(known->second, [&](const std::string& field) { return text.starts_with(field + "-"); });
      if (!wanted) std::filesystem::remove(file.path(), ignored);
    }
  }
}

std::vector<std::string> VectorIndexManager::fields(store::ProjectNo project) const {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> found;
  const auto fields = byProject_.find(project);
  if (fields == byProject_.end()) return found;
  for (const auto& [id, live] : fields->second) found.push_back(id);
  return found;
}

uint64_t VectorIndexManager::bytes() const {
  uint64_t sum = 0;
  for (const LiveIndexPtr& live : all()) sum += live->bytes;
  return sum;
}

// ---- maintaining one index

Async<void> VectorIndexManager::maintain(VectorIndexManager* self, LiveIndexPtr live) {
  bool whole = co_await self->load(live);
  bool failing = false;
  while (!self->stopped(*live) && live->state() != IndexState::failed) {
    Result<bool> step = true;
    bool rebuild = !whole;
    if (whole) step = co_await self->follow(live, rebuild);
    if (step && rebuild) {
      live->setState(IndexState::building);
      const Result<> built = co_await self->build(live);
      whole = built.has_value();
      if (!built) step = fail(built.error().clone());
    }
    if (live->state() == IndexState::failed) continue;
    if (!step) {
      if (!self->stopped(*live) && !std::exchange(failing, true)) {
        logWarn("vector index update failed; retrying", {{"project", live->place.project},
                                                         {"field", live->place.field->config.name},
                                                         {"problem", step.error().message()},
                                                         {"cause", step.error().cause()}});
      }
      co_await sleepFor(kRetryDelay);
      continue;
    }
    failing = false;
    if (whole && !*step) live->setState(IndexState::ready);
    if (whole && self->saveIsDue(*live)) co_await self->save(live);
    if (whole && !*step && !self->stopped(*live)) co_await live->waitForWake();
  }
  if (whole && live->unsaved > 0 && !live->dropped) co_await self->save(live);
  if (live->dropped) {
    const Result<> removed = co_await self->deps_.pool.run([live]() -> Result<> {
      std::error_code failed;
      std::filesystem::remove(live->file, failed);
      if (failed) return fail(ErrorCode::internal, failed.message());
      return {};
    });
    if (!removed) {
      logWarn("file of a dropped vector index could not be removed; the next start removes it",
              {{"file", live->file.string()}, {"problem", removed.error().message()}});
    }
  }
  if (live->state() != IndexState::failed) live->setState(IndexState::ended);
  live->setIndex(nullptr);
  live->bytes = 0;
  ++self->timesFreed_;
  self->memoryFreed_.notifyAll();
}

Async<void> VectorIndexManager::wakeForSaves() {
  const int64_t now = steadyMs();
  const bool looks = deps_.shared && now - lookedMs_ >= kLookMs;
  if (looks) lookedMs_ = now;
  for (const LiveIndexPtr& live : all()) {
    const bool follows = looks && live->place.field->automatic;
    if (live->state() == IndexState::ready && (follows || saveIsDue(*live))) live->wake();
  }
  co_return;
}

bool VectorIndexManager::saveIsDue(const LiveIndex& live) const {
  const int64_t since = live.unsavedSinceMs;
  const int64_t now = steadyMs();
  if (since == 0 || now < live.noSaveBeforeMs) return false;
  return live.unsaved >= std::max<uint64_t>(kUnsavedChanges, live.vectors / 10) || now - since >= kUnsavedMs;
}

Async<bool> VectorIndexManager::load(LiveIndexPtr live) {
  struct LoadResult {
    std::shared_ptr<VectorIndex> index;
    std::string position;
  };
  Result<LoadResult> read = co_await deps_.pool.run([live]() -> Result<LoadResult> {
    TRY(VectorIndex::Loaded loaded, VectorIndex::load(live->file));
    return LoadResult{std::move(loaded.index), std::move(loaded.position)};
  });
  if (!read) {
    if (read.error().code() != ErrorCode::notFound) {
      logWarn("file of a vector index cannot be read; the index is rebuilt",
              {{"file", live->file.string()}, {"problem", read.error().message()}});
    }
    co_return false;
  }
  // "<position> <collection> <seq>"
  std::string_view rest = read->position;
  const std::optional<uint64_t> position = takeNumber(rest);
  const std::optional<uint64_t> collection = takeNumber(rest);
  if (!position || !collection) {
    logWarn("file of a vector index has no valid position and is corrupt; the index is rebuilt",
            {{"file", live->file.string()}});
    co_return false;
  }
  if (collection != live->place.collection || read->index->options() != live->options ||
      *position > deps_.feed.lastPosition(live->place.project)) {
    logInfo("file of a vector index is of another config or store; the index is rebuilt",
            {{"file", live->file.string()}});
    co_return false;
  }
  live->setPosition(*position);
  live->seq = rest;
  live->vectors = read->index->size();
  live->bytes = read->index->bytes();
  live->setIndex(std::move(read->index));
  if (const Result<> fits = co_await evictUntilFits(live); !fits) co_return false;
  logInfo(
      "vector index loaded",
      {{"project", live->place.project}, {"field", live->place.field->config.name}, {"vectors", live->vectors.load()}});
  co_return true;
}

Async<void> VectorIndexManager::save(LiveIndexPtr live) {
  const std::shared_ptr<VectorIndex> index = live->index();
  const std::string position = fmt::format("{} {} {}", live->position(), live->place.collection, live->seq);
  const uint64_t saved = live->unsaved;
  const Result<> done = co_await deps_.pool.run([live, index, position]() -> Result<> {
    std::error_code failed;
    std::filesystem::create_directories(live->file.parent_path(), failed);
    if (failed) {
      return fail(ErrorCode::internal, fmt::format("the folder {} could not be created: {}",
                                                   live->file.parent_path().string(), failed.message()));
    }
    return index->save(live->file, position);
  });
  if (done) {
    live->unsaved -= saved;
    live->unsavedSinceMs = 0;
    co_return;
  }
  live->noSaveBeforeMs = steadyMs() + kUnsavedMs;
  logWarn("vector index could not be saved; the save is retried every minute while the index is open",
          {{"file", live->file.string()}, {"problem", done.error().message()}});
}

Task<> VectorIndexManager::evictUntilFits(LiveIndexPtr live) {
  const auto until = std::chrono::steady_clock::now() + kMaxEvictionWait;
  while (true) {
    const uint64_t timesFreed = timesFreed_;
    const bool searched = live->lastUsedMs > 0;
    uint64_t held = 0;
    uint64_t leaving = 0;  // of these, by indexes that are being ended
    LiveIndexPtr longest;
    for (const LiveIndexPtr& each : all()) {
      const uint64_t size = each->bytes;
      const int64_t used = each->lastUsedMs;
      held += size;
      if (each == live || size == 0) continue;
      if (each->ending) {
        leaving += size;
        continue;
      }
      const bool recent = used > 0 && steadyMs() - used < kRecentlyMs;
      // An index that was never searched evicts no other.
      if (searched && !recent && (!longest || used < longest->lastUsedMs)) longest = each;
    }
    if (held <= deps_.memory) co_return Result<>();
    if (longest && held - leaving > deps_.memory) {
      end(*longest);
      continue;
    }
    if (leaving == 0 || stopped(*live)) break;
    const auto changed = [this, &live, timesFreed] { return timesFreed_ != timesFreed || stopped(*live); };
    if (!co_await memoryFreed_.waitUntil(until, changed)) break;
  }
  live->failWith("the vector index does not fit into the memory for vector indexes: raise SERVICE_VECTOR_MEMORY");
  logWarn("vector index does not fit into SERVICE_VECTOR_MEMORY; its searches are refused",
          {{"project", live->place.project}, {"field", live->place.field->config.name}, {"bytes", live->bytes.load()}});
  co_return fail(ErrorCode::unavailable, live->problem());
}

}  // namespace mb::vectors
