// Who holds how many sockets: counted exactly, given back when the holder goes.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

namespace mb::realtime {

// Places by key, at most `limit` a key. Any thread.
template <class Key>
class Seats : public std::enable_shared_from_this<Seats<Key>> {
 public:
  // nullopt: no limit.
  explicit Seats(std::optional<size_t> limit) : limit_(limit) {}

  class Seat {
   public:
    Seat(std::shared_ptr<Seats> seats, Key key) : seats_(std::move(seats)), key_(std::move(key)) {}
    Seat(Seat&&) noexcept = default;
    Seat& operator=(Seat&& other) noexcept {
      std::swap(seats_, other.seats_);
      std::swap(key_, other.key_);
      return *this;
    }
    ~Seat() {
      if (seats_) seats_->leave(key_);
    }

   private:
    std::shared_ptr<Seats> seats_;
    Key key_;
  };

  // nullopt when all places of the key are taken.
  std::optional<Seat> take(Key key) {
    const std::lock_guard lock(mutex_);
    size_t& count = taken_[key];
    if (limit_ && count >= *limit_) {
      if (count == 0) taken_.erase(key);
      return std::nullopt;
    }
    ++count;
    return Seat(this->shared_from_this(), std::move(key));
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
