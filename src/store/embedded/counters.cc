#include "store/embedded/counters.h"

#include "store/embedded/keys.h"

namespace mb::store::embedded {

CounterPtr Counters::of(const CounterKey& key) {
  const std::lock_guard lock(mutex_);
  CounterPtr& counter = counters_[key];
  if (!counter) counter = std::make_shared<Counter>(key);
  return counter;
}

int64_t Counters::valueOf(const CounterKey& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = counters_.find(key);
  return found == counters_.end() ? 0 : found->second->durable.load();
}

void Counters::forgetUnused(std::vector<CounterDelta>& deltas) {
  if (deltas.empty()) return;
  const std::lock_guard lock(mutex_);
  for (CounterDelta& delta : deltas) {
    const auto found = counters_.find(delta.counter->key);
    const bool known = found != counters_.end() && found->second == delta.counter;
    delta.counter.reset();
    // A write gets its counter under the mutex and holds it until the write is done.
    if (known && found->second.use_count() == 1 && found->second->durable == 0) counters_.erase(found);
  }
  deltas.clear();
}

void Counters::forgetProject(ProjectNo project) {
  const std::lock_guard lock(mutex_);
  std::erase_if(counters_, [project](const auto& entry) { return entry.first.project == project; });
}

void Counters::set(const CounterKey& key, int64_t value) {
  Counter& counter = *of(key);
  counter.next = value;
  counter.durable = value;
  counter.admitted = value;
}

void Counters::clear() {
  const std::lock_guard lock(mutex_);
  counters_.clear();
}

std::vector<CounterPtr> Counters::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<CounterPtr> counters;
  counters.reserve(counters_.size());
  for (const auto& [_, counter] : counters_) counters.push_back(counter);
  return counters;
}

namespace {

void giveBack(std::span<const CounterDelta> deltas) {
  for (const CounterDelta& delta : deltas) {
    if (delta.by > 0) delta.counter->admitted.fetch_sub(delta.by);
  }
}

const CounterLimit* limitOf(const Counter& counter, const std::vector<CounterLimit>& limits) {
  for (const CounterLimit& limit : limits) {
    if (limit.counter == counter.key) return &limit;
  }
  return nullptr;
}

}  // namespace

std::optional<CounterLimit> reserve(const std::vector<CounterDelta>& deltas, const std::vector<CounterLimit>& limits) {
  for (size_t i = 0; i < deltas.size(); ++i) {
    const CounterDelta& delta = deltas[i];
    if (delta.by <= 0) continue;
    const CounterLimit* limit = limitOf(*delta.counter, limits);
    int64_t admitted = delta.counter->admitted.load();
    do {
      if (limit && admitted > limit->max - delta.by) {
        giveBack(std::span(deltas).first(i));
        return *limit;
      }
    } while (!delta.counter->admitted.compare_exchange_weak(admitted, admitted + delta.by));
  }
  return std::nullopt;
}

void release(const std::vector<CounterDelta>& deltas) {
  giveBack(deltas);
}

void addCounted(const std::vector<CounterSource>& sources, ProjectNo project, doc::DocumentView document,
                CounterSums& sums) {
  for (const CounterSource& source : sources) {
    auto found = countedOf(source, document);
    if (found) sums[{project, source.counter, std::move(found->first)}] += found->second;
  }
}

std::string counterRow(const CounterKey& key) {
  return row::of(row::kCounter, key.project, key.counter) + key.group;
}

std::optional<CounterKey> counterOfRow(std::string_view key) {
  static const size_t prefix = row::of(row::kCounter, 0, 0).size();
  if (key.size() < prefix || key.front() != row::kCounter) return std::nullopt;
  return CounterKey{readU32(key.data() + 1), readU32(key.data() + 5), std::string(key.substr(prefix))};
}

}  // namespace mb::store::embedded
