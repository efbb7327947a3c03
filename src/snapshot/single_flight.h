// One load at a time for each key; concurrent callers wait for its result. Private to snapshot/.
#pragma once

#include <compare>
#include <map>
#include <mutex>
#include <vector>

#include "base/task.h"

namespace mb::snapshot {

// The result of a load, cheap to copy to every waiter. `failure` is null on success.
template <class T>
struct LoadResult {
  T value{};
  std::shared_ptr<const Error> failure;
};

// Merges concurrent loads of a key. Any thread. The caller for which leads() returned true loads and calls complete()
// exactly once.
template <class Key, class T>
class SingleFlight {
 public:
  // True when the caller must load for `key` and then call complete(); false when it must call join().
  bool leads(const Key& key) {
    const std::lock_guard lock(mutex_);
    return waiting_.try_emplace(key).second;
  }
  // Waits for the load of `key` and returns its result; nullopt when no load is running any more.
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
