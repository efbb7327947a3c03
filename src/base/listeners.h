// A list of callbacks that are called on an event until they are removed.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace mb {

// Any thread.
template <class... Args>
class Listeners {
 public:
  using Listener = std::function<void(Args...)>;

  // Calls `listener` until the returned handle is dropped; dropping waits for a running notification. Not from within a
  // listener.
  std::shared_ptr<void> add(Listener listener) {
    auto added = std::make_shared<Listener>(std::move(listener));
    {
      const std::lock_guard lock(shared_->mutex);
      shared_->all.push_back(added);
    }
    return {added.get(), [shared = shared_, added](void*) {
              const std::lock_guard lock(shared->mutex);
              std::erase(shared->all, added);
            }};
  }
  size_t count() const {
    const std::lock_guard lock(shared_->mutex);
    return shared_->all.size();
  }
  // Calls the listeners one after another, on the calling thread.
  void notify(Args... args) const {
    notifyBatch([&](const auto& notifyOne) { notifyOne(args...); });
  }
  // The same for several events under one lock: calls `batch` once, with a function that notifies of one event.
  template <class Batch>
  void notifyBatch(const Batch& batch) const {
    const std::lock_guard lock(shared_->mutex);
    batch([&](Args... args) {
      for (const auto& listener : shared_->all) (*listener)(args...);
    });
  }

 private:
  struct Shared {
    std::mutex mutex;  // held during the calls, so that a removal waits for them
    std::vector<std::shared_ptr<Listener>> all;
  };
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

}  // namespace mb
