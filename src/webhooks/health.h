// Tracks whether receivers succeed. In memory only: after a start no receiver is known.
#pragma once

#include <mutex>
#include <string>
#include <unordered_map>

#include "base/lru_cache.h"
#include "store/store.h"

namespace mb::webhooks {

// At most four deliveries of a webhook are in flight; one, until its receiver has accepted one, and again from its
// first failure to its next success. Deliveries to doubtful receivers hold at most half of the places, of a project and
// of all, so that a healthy receiver finds one. Groups are webhooks, by their ids. Any thread.
class Health {
 public:
  static constexpr int kInFlight = 4;
  static constexpr int kPlaces = 384;
  static constexpr int kPlacesOfProject = 64;

  // The current limit of a webhook's deliveries in flight.
  int limitOf(store::ProjectNo project, const std::string& hookId) const;

  // A delivery in flight. The Health outlives it.
  class Run {
   public:
    Run(Health& health, store::ProjectNo project, std::string hookId);
    ~Run();
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;
    // Records whether the receiver accepted it.
    void ended(bool delivered);

   private:
    Health& health_;
    const store::ProjectNo project_;
    const std::string hookId_;
    const bool doubtful_;
  };

 private:
  bool begin(store::ProjectNo project, const std::string& hookId);  // returns whether the receiver is doubtful
  void end(store::ProjectNo project, bool doubtful);

  // Whether the receiver accepted its last delivery; the least recently used entries are evicted, and then doubtful.
  static constexpr size_t kMaxKnown = 20'000;
  mutable std::mutex mutex_;
  mutable LruCache<bool> accepted_{kMaxKnown};
  std::unordered_map<store::ProjectNo, int> doubtfulOf_;
  int doubtful_ = 0;
};

}  // namespace mb::webhooks
