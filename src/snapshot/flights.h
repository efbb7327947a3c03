// One load at a time for each key, whoever asks; the others wait for its result. Private to snapshot/.
#pragma once

#include <compare>
#include <map>
#include <mutex>
#include <vector>

#include "base/task.h"

namespace mb::snapshot {

// What a load gave, cheap to hand to all who wait. `failure` is null on success.
template <class T>
struct Landed {
  T value{};
  std::shared_ptr<const Error> failure;
};

// Any thread. A flight ends by land(), once, by the one who got `leads`.
template <class Key, class T>
class Flights {
 public:
  // True when the caller is to load under `key` and land() then; false when `join` is the way.
  bool leads(const Key& key) {
    const std::lock_guard lock(mutex_);
    return waiting_.try_emplace(key).second;
  }
  // The result of the flight under `key`; nullopt when there is none any more.
  Async<std::optional<Landed<T>>> join(Key key) {
    co_return co_await suspend<std::optional<Landed<T>>>([this, key = std::move(key)](auto resumer) {
      std::unique_lock lock(mutex_);
      const auto flight = waiting_.find(key);
      if (flight != waiting_.end()) {
        flight->second.push_back(std::move(resumer));
        return;
      }
      lock.unlock();
      resumer.resume(std::nullopt);
    });
  }
  void land(const Key& key, const Landed<T>& result) {
    std::vector<Resumer<std::optional<Landed<T>>>> waiters;
    {
      const std::lock_guard lock(mutex_);
      const auto flight = waiting_.find(key);
      waiters = std::move(flight->second);
      waiting_.erase(flight);
    }
    for (auto& waiter : waiters) waiter.resume(result);
  }

 private:
  std::mutex mutex_;
  std::map<Key, std::vector<Resumer<std::optional<Landed<T>>>>> waiting_;
};

}  // namespace mb::snapshot
