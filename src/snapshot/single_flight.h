// One load at a time for each key; concurrent callers wait for its result. Private to snapshot/.
#pragma once

#include <compare>
#include <map>
#include <mutex>
#include <vector>

#include "base/task.h"

namespace mb::snapshot {

// What a load gave, cheap to hand to all who wait. `failure` is null on success.
template <class T>
struct LoadResult {
  T value{};
  std::shared_ptr<const Error> failure;
};

// Any thread. A load ends by complete(), once, by the one who got `leads`.
template <class Key, class T>
class SingleFlight {
 public:
  // True when the caller is to load under `key` and complete() then; false when `join` is the way.
  bool leads(const Key& key) {
    const std::lock_guard lock(mutex_);
    return waiting_.try_emplace(key).second;
  }
  // The result of the load under `key`; nullopt when there is none any more.
  Async<std::optional<LoadResult<T>>> join(Key key) {
    co_return co_await suspend<std::optional<LoadResult<T>>>([this, key = std::move(key)](auto resumer) {
      std::unique_lock lock(mutex_);
      const auto load = waiting_.find(key);
      if (load != waiting_.end()) {
        load->second.push_back(std::move(resumer));
        return;
      }
      lock.unlock();
      resumer.resume(std::nullopt);
    });
  }
  void complete(const Key& key, const LoadResult<T>& result) {
    std::vector<Resumer<std::optional<LoadResult<T>>>> waiters;
    {
      const std::lock_guard lock(mutex_);
      const auto load = waiting_.find(key);
      waiters = std::move(load->second);
      waiting_.erase(load);
    }
    for (auto& waiter : waiters) waiter.resume(result);
  }

 private:
  std::mutex mutex_;
  std::map<Key, std::vector<Resumer<std::optional<LoadResult<T>>>>> waiting_;
};

}  // namespace mb::snapshot
