// Those who are called when something happens, until they let go.
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

  // Calls `listener` until what is returned is dropped, which waits for a call under way. Not from within a listener.
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
  // One after another, on the calling thread.
  void notify(Args... args) const {
    const std::lock_guard lock(shared_->mutex);
    for (const auto& listener : shared_->all) (*listener)(args...);
  }

 private:
  struct Shared {
    std::mutex mutex;  // held during the calls, which is what a removal waits for
    std::vector<std::shared_ptr<Listener>> all;
  };
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

}  // namespace mb
