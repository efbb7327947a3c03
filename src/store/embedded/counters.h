// The counters of all projects (SystemCollection::counters): durable as row::kCounter rows, checked against their
// limits before a write is queued. Any thread, except for the members of the commit thread.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "store/store.h"

namespace mb::store::embedded {

struct Counter {  // owned by the table and by each write that changes it
  explicit Counter(CounterKey k) : key(std::move(k)) {}
  const CounterKey key;
  // The durable value plus the increases of pending writes.
  std::atomic<int64_t> admitted{0};
  std::atomic<int64_t> durable{0};

  // Used by the commit thread only.
  int64_t next = 0;
  uint64_t group = 0;
};
using CounterPtr = std::shared_ptr<Counter>;

// The change of a counter by a write.
struct CounterDelta {
  CounterPtr counter;
  int64_t by = 0;
};

class Counters {
 public:
  // The counter of this key; created if absent.
  CounterPtr of(const CounterKey& key);
  int64_t valueOf(const CounterKey& key) const;
  // Removes the counters of value 0 that no other write uses; releases and clears `deltas`.
  void forgetUnused(std::vector<CounterDelta>& deltas);
  // Sets the value from the row while the store opens.
  void set(const CounterKey& key, int64_t value);
  void clear();
  // Removes the counters of a dropped project.
  void forgetProject(ProjectNo project);
  std::vector<CounterPtr> all() const;

 private:
  mutable std::mutex mutex_;
  std::map<CounterKey, CounterPtr> counters_;
};

using CounterSums = std::map<CounterKey, int64_t>;
// Adds what the sources count of a document of the project.
void addCounted(const std::vector<CounterSource>& sources, ProjectNo project, doc::DocumentView document,
                CounterSums& sums);

// Reserves the increases within the limits, all or none; on refusal returns the limit that was exceeded. release()
// undoes the reservation, the commit makes it durable.
std::optional<CounterLimit> reserve(const std::vector<CounterDelta>& deltas, const std::vector<CounterLimit>& limits);
void release(const std::vector<CounterDelta>& deltas);

// Conversions between a key and its row::kCounter row; nullopt for a row of another kind.
std::string counterRow(const CounterKey& key);
std::optional<CounterKey> counterOfRow(std::string_view row);

}  // namespace mb::store::embedded
