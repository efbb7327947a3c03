#include "snapshot/snapshot.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <exception>
#include <mutex>
#include <unordered_map>

#include "base/lru_cache.h"
#include "snapshot/single_flight.h"

namespace mb::snapshot {

namespace {

// The project of a load: its number, or an id or slug where the number is 0. Clients only ever supply a name.
struct Key {
  std::string name;
  store::ProjectNo number = 0;
  auto operator<=>(const Key&) const = default;
};

// A pointer with a reference count of its own, which one core alone touches, while the snapshot itself is shared.
SnapshotPtr ownPointer(SnapshotPtr shared) {
  const ProjectSnapshot* raw = shared.get();
  return {raw, [shared = std::move(shared)](const ProjectSnapshot*) {}};
}

}  // namespace

struct Snapshots::Impl {
  // The snapshots of one core.
  struct PerCoreCache {
    explicit PerCoreCache(size_t capacity) : byId(capacity), idBySlug(capacity) {}
    LruCache<SnapshotPtr> byId;
    LruCache<std::string> idBySlug;
  };

  Impl(store::DocumentStore& s, Cores& cores, size_t capacity)
      : store(s), caches(static_cast<size_t>(cores.count())), sharedLimit(std::max<size_t>(capacity, 1) * 2) {
    const size_t perCore = std::max<size_t>(1, capacity / static_cast<size_t>(cores.count()));
    for (auto& cache : caches) cache = std::make_unique<PerCoreCache>(perCore);
  }

  // Null on a thread that is not a core's.
  PerCoreCache* cache() {
    const int core = Cores::current();
    return core < 0 || static_cast<size_t>(core) >= caches.size() ? nullptr : caches[static_cast<size_t>(core)].get();
  }
  bool isCurrent(const ProjectSnapshot& snapshot) const {
    return store.epoch(snapshot.info().number) == snapshot.epoch();
  }

  const SnapshotPtr* inCoreCache(std::string_view idOrSlug);
  SnapshotPtr held(std::string_view idOrSlug);
  SnapshotPtr unsure(std::string_view idOrSlug);
  SnapshotPtr keep(const SnapshotPtr& snapshot);
  SnapshotPtr sharedOf(const std::string& id);
  void publish(const SnapshotPtr& snapshot);
  std::optional<store::ProjectNo> numberOf(const std::string& id);

  Task<std::optional<ProjectInfo>> look(Key key);
  Task<SnapshotPtr> load(Key key);
  Task<SnapshotPtr> loadGuarded(Key key);
  Task<SnapshotPtr> current(Key key);

  store::DocumentStore& store;
  ProjectDirectory* directory = nullptr;
  std::vector<SlotSource*> sources;
  std::vector<std::unique_ptr<PerCoreCache>> caches;
  SingleFlight<Key, SnapshotPtr> loads;

  std::mutex mutex;
  const size_t sharedLimit;
  // By id; under mutex.
  std::unordered_map<std::string, std::weak_ptr<const ProjectSnapshot>, StringHash, std::equal_to<>> shared;
};

const SnapshotPtr* Snapshots::Impl::inCoreCache(std::string_view idOrSlug) {
  PerCoreCache* own = cache();
  if (own == nullptr) return nullptr;
  const SnapshotPtr* found = own->byId.find(idOrSlug);
  if (found != nullptr) return found;
  const std::string* id = own->idBySlug.find(idOrSlug);
  return id == nullptr ? nullptr : own->byId.find(*id);
}

// The snapshot in this core's cache, if it is current.
SnapshotPtr Snapshots::Impl::held(std::string_view idOrSlug) {
  const SnapshotPtr* found = inCoreCache(idOrSlug);
  return found != nullptr && isCurrent(**found) ? *found : nullptr;
}

// The snapshot in this core's cache, if the epoch in memory is not fresh, so that only the store knows whether it is
// current.
SnapshotPtr Snapshots::Impl::unsure(std::string_view idOrSlug) {
  const SnapshotPtr* found = inCoreCache(idOrSlug);
  return found != nullptr && !store.epoch((*found)->info().number).fresh ? *found : nullptr;
}

SnapshotPtr Snapshots::Impl::keep(const SnapshotPtr& snapshot) {
  PerCoreCache* own = cache();
  if (own == nullptr) return snapshot;
  const ProjectInfo& info = snapshot->info();
  own->idBySlug.put(info.slug, info.id.str());
  return own->byId.put(info.id.str(), ownPointer(snapshot));
}

// The snapshot of another core, if it is current.
SnapshotPtr Snapshots::Impl::sharedOf(const std::string& id) {
  const std::lock_guard lock(mutex);
  const auto it = shared.find(id);
  if (it == shared.end()) return nullptr;
  SnapshotPtr snapshot = it->second.lock();
  return snapshot && isCurrent(*snapshot) ? snapshot : nullptr;
}

void Snapshots::Impl::publish(const SnapshotPtr& snapshot) {
  const std::lock_guard lock(mutex);
  if (shared.size() >= sharedLimit) {
    std::erase_if(shared, [](const auto& entry) { return entry.second.expired(); });
  }
  shared.insert_or_assign(snapshot->info().id.str(), snapshot);
}

// The number of a project whose snapshot is in memory, current or not.
std::optional<store::ProjectNo> Snapshots::Impl::numberOf(const std::string& id) {
  const std::lock_guard lock(mutex);
  const auto it = shared.find(id);
  const SnapshotPtr known = it == shared.end() ? nullptr : it->second.lock();
  return known ? std::optional(known->info().number) : std::nullopt;
}

Task<std::optional<ProjectInfo>> Snapshots::Impl::look(Key key) {
  if (key.number != 0) co_return co_await directory->byNumber(key.number);
  co_return co_await directory->find(std::move(key.name));
}

Task<SnapshotPtr> Snapshots::Impl::load(Key key) {
  std::optional<store::ProjectNo> number = numberOf(key.name);
  if (!number) {
    CO_TRY(std::optional<ProjectInfo> first, co_await look(key));
    if (!first) co_return nullptr;
    key.name = first->id.str();
    if (SnapshotPtr known = sharedOf(key.name)) co_return known;
    number = first->number;
  }
  // The epoch is read before the configuration, so the next access notices a change made in between.
  CO_TRY(const uint64_t epoch, co_await store.epochNow(*number));
  CO_TRY(std::optional<ProjectInfo> info, co_await directory->find(key.name));
  if (!info) co_return nullptr;
  std::vector<std::shared_ptr<const void>> slots;
  slots.reserve(sources.size());
  for (SlotSource* source : sources) {
    ProjectInfo copy = *info;
    CO_TRY(std::shared_ptr<const void> slot, co_await source->load(std::move(copy)));
    slots.push_back(std::move(slot));
  }
  auto snapshot = std::make_shared<const ProjectSnapshot>(*std::move(info), epoch, std::move(slots));
  publish(snapshot);
  co_return snapshot;
}

// load() with exceptions as errors: other callers wait for its result.
Task<SnapshotPtr> Snapshots::Impl::loadGuarded(Key key) {
  try {
    co_return co_await load(std::move(key));
  } catch (const std::exception& exception) {
    co_return fail(Error(ErrorCode::internal, "something went wrong on the server").withCause(exception.what()));
  }
}

Task<SnapshotPtr> Snapshots::Impl::current(Key key) {
  // A load that began before this call may have missed a change that the caller knows of; the one after it cannot.
  bool joined = false;
  while (true) {
    if (loads.leads(key)) {
      // A coroutine of its own, which this caller's cancellation does not end: other callers wait for it too.
      Result<SnapshotPtr> loaded =
          co_await asio::co_spawn(co_await asio::this_coro::executor, loadGuarded(key), useAwaitable);
      LoadResult<SnapshotPtr> outcome;
      if (loaded) {
        outcome.value = *loaded;
      } else {
        outcome.failure = std::make_shared<const Error>(std::move(loaded).error());
      }
      loads.complete(key, outcome);
      if (outcome.failure) co_return fail(outcome.failure->clone());
      co_return outcome.value;
    }
    const std::optional<LoadResult<SnapshotPtr>> outcome = co_await loads.join(key);
    if (!outcome) continue;
    const bool current = outcome->value && isCurrent(*outcome->value);
    if (!joined && !current) {
      joined = true;
      continue;
    }
    if (outcome->failure) co_return fail(outcome->failure->clone());
    co_return outcome->value;
  }
}

Snapshots::Snapshots(store::DocumentStore& store, Cores& cores, size_t capacity)
    : impl_(std::make_unique<Impl>(store, cores, capacity)) {}

Snapshots::~Snapshots() = default;

void Snapshots::setDirectory(ProjectDirectory& directory) {
  impl_->directory = &directory;
}

size_t Snapshots::addSource(SlotSource& source) {
  impl_->sources.push_back(&source);
  return impl_->sources.size() - 1;
}

SnapshotPtr Snapshots::cached(std::string_view id) {
  return impl_->held(id);
}

Task<SnapshotPtr> Snapshots::find(std::string idOrSlug) {
  if (idOrSlug.empty()) co_return nullptr;
  if (SnapshotPtr held = impl_->held(idOrSlug)) co_return held;
  if (SnapshotPtr unsure = impl_->unsure(idOrSlug)) {
    CO_TRY(const uint64_t epoch, co_await impl_->store.epochNow(unsure->info().number));
    if (epoch == unsure->epoch()) co_return unsure;
  }
  if (SnapshotPtr shared = impl_->sharedOf(idOrSlug)) co_return impl_->keep(shared);
  CO_TRY(const SnapshotPtr loaded, co_await impl_->current({std::move(idOrSlug), 0}));
  if (!loaded) co_return nullptr;
  co_return impl_->keep(loaded);
}

Task<SnapshotPtr> Snapshots::byNumber(store::ProjectNo number) {
  if (number == 0) co_return nullptr;
  CO_TRY(const SnapshotPtr loaded, co_await impl_->current({"", number}));
  if (!loaded) co_return nullptr;
  co_return impl_->keep(loaded);
}

Task<SnapshotPtr> Snapshots::onlyOne() {
  CO_TRY(const std::optional<ProjectInfo> info, co_await impl_->directory->onlyOne());
  if (!info) co_return nullptr;
  std::string id = info->id.str();
  co_return co_await find(std::move(id));
}

}  // namespace mb::snapshot
