// Counts open sockets per key. A Permit releases its slot in its destructor.
#pragma once

#include <expected>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

namespace mb::realtime {

// At most `limit` permits a key. Thread-safe.
template <class Key>
class ConnectionLimiter : public std::enable_shared_from_this<ConnectionLimiter<Key>> {
 public:
  // nullopt: unlimited.
  explicit ConnectionLimiter(std::optional<size_t> limit) : limit_(limit) {}

  class Permit {
   public:
    Permit(std::shared_ptr<ConnectionLimiter> limiter, Key key) : limiter_(std::move(limiter)), key_(std::move(key)) {}
    Permit(Permit&&) noexcept = default;
    Permit& operator=(Permit&& other) noexcept {
      std::swap(limiter_, other.limiter_);
      std::swap(key_, other.key_);
      return *this;
    }
    ~Permit() {
      if (limiter_) limiter_->leave(key_);
    }

   private:
    std::shared_ptr<ConnectionLimiter> limiter_;
    Key key_;
  };

  // `own`: a limit of this key, besides the one of all keys. Fails with the number of permits that the key has when
  // none is left. Permits that were taken under a higher limit stay.
  std::expected<Permit, size_t> take(Key key, std::optional<size_t> own = std::nullopt) {
    const std::lock_guard lock(mutex_);
    size_t& count = taken_[key];
    if ((limit_ && count >= *limit_) || (own && count >= *own)) {
      const size_t taken = count;
      if (taken == 0) taken_.erase(key);
      return std::unexpected(taken);
    }
    ++count;
    return Permit(this->shared_from_this(), std::move(key));
  }
  size_t taken(const Key& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = taken_.find(key);
    return found == taken_.end() ? 0 : found->second;
  }

 private:
  void leave(const Key& key) {
    const std::lock_guard lock(mutex_);
    const auto found = taken_.find(key);
    if (--found->second == 0) taken_.erase(found);
  }

  const std::optional<size_t> limit_;
  mutable std::mutex mutex_;
  std::unordered_map<Key, size_t> taken_;
};

}  // namespace mb::realtime
