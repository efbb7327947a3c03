// The counters of all projects (SystemCollection::counters): durable as 'D' rows, admitted against their limits before
// a write is queued. Any thread, but for what is the commit thread's.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "store/store.h"

namespace mb::store::embedded {

struct Counter {  // with one owner besides the table for each write that moves it
  explicit Counter(CounterKey k) : key(std::move(k)) {}
  const CounterKey key;
  // What is durable, and the increases of the writes that are under way.
  std::atomic<int64_t> admitted{0};
  std::atomic<int64_t> durable{0};

  // The commit thread's own.
  int64_t next = 0;
  uint64_t group = 0;
};
using CounterPtr = std::shared_ptr<Counter>;

// By how much a write moves a counter.
struct CounterDelta {
  CounterPtr counter;
  int64_t by = 0;
};

class Counters {
 public:
  // The counter of this key, made where there is none.
  CounterPtr of(const CounterKey& key);
  int64_t valueOf(const CounterKey& key) const;
  // Forgets those of 0 that no other write is about to move; `deltas` gives its own hold of them up.
  void forgetUnused(std::vector<CounterDelta>& deltas);
  // While the store opens: as the rows say.
  void set(const CounterKey& key, int64_t value);
  void clear();
  // Of a dropped project.
  void forgetProject(ProjectNo project);
  std::vector<CounterPtr> all() const;

 private:
  mutable std::mutex mutex_;
  std::map<CounterKey, CounterPtr> counters_;
};

// Takes the increases from what the limits leave, all or none: the limit that refuses otherwise. What was taken is
// given back by release(), or becomes durable by the commit.
std::optional<CounterLimit> reserve(const std::vector<CounterDelta>& deltas, const std::vector<CounterLimit>& limits);
void release(const std::vector<CounterDelta>& deltas);

// The key of a 'D' row, and back; nullopt for another key.
std::string counterRow(const CounterKey& key);
std::optional<CounterKey> counterOfRow(std::string_view row);

}  // namespace mb::store::embedded
