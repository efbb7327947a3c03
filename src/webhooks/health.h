// Which receivers answer. In memory only: after a start nothing is known of any.
#pragma once

#include <mutex>
#include <string>
#include <unordered_map>

#include "base/lru_cache.h"
#include "store/store.h"

namespace mb::webhooks {

// Four deliveries of a webhook are under way at most; one, until its receiver has taken one, and again from its first
// failure to its next success. Deliveries to receivers in doubt hold at most half of the places, of a project and of
// all, so that one that answers finds one. Groups are webhooks, by their ids. Any thread.
class Health {
 public:
  static constexpr int kInFlight = 4;
  static constexpr int kPlaces = 384;
  static constexpr int kPlacesOfProject = 64;

  // How many of a webhook's deliveries may be under way now.
  int limitOf(store::ProjectNo project, const std::string& hookId) const;

  // A delivery is under way, until its end. Outlived by the health.
  class Run {
   public:
    Run(Health& health, store::ProjectNo project, std::string hookId);
    ~Run();
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;
    // Whether the receiver took it.
    void ended(bool delivered);

   private:
    Health& health_;
    const store::ProjectNo project_;
    const std::string hookId_;
    const bool doubtful_;
  };

 private:
  bool begin(store::ProjectNo project, const std::string& hookId);  // whether it is in doubt
  void end(store::ProjectNo project, bool doubtful);

  // Whether the receiver took the last that it got; the longest unused are forgotten, and then in doubt.
  static constexpr size_t kMaxKnown = 20'000;
  mutable std::mutex mutex_;
  mutable LruCache<bool> answers_{kMaxKnown};
  std::unordered_map<store::ProjectNo, int> doubtfulOf_;
  int doubtful_ = 0;
};

}  // namespace mb::webhooks
