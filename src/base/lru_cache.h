// A bounded cache that evicts an entry that was not used recently: the least recently used one, within an eighth of the
// capacity. Not thread-safe: one per core, or under its owner's lock.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

namespace mb {

struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

template <class V, class Hash = StringHash>
class LruCache {
 public:
  explicit LruCache(size_t capacity) : capacity_(capacity), recent_(capacity / 8) {}

  // The entry, now among the most recently used, or null. Valid until the next non-const call.
  V* find(std::string_view key) {
    auto it = index_.find(key);
    if (it == index_.end()) return nullptr;
    use(it->second);
    return &it->second->value;
  }
  V& put(std::string key, V value) {
    if (auto it = index_.find(key); it != index_.end()) {
      it->second->value = std::move(value);
      use(it->second);
      return it->second->value;
    }
    if (order_.size() >= capacity_) {
      index_.erase(order_.back().key);
      order_.pop_back();
    }
    order_.push_front({std::move(key), std::move(value), ++turn_});
    index_.emplace(order_.front().key, order_.begin());
    return order_.front().value;
  }
  void erase(std::string_view key) {
    auto it = index_.find(key);
    if (it == index_.end()) return;
    auto entry = it->second;
    index_.erase(it);
    order_.erase(entry);
  }
  void clear() {
    index_.clear();
    order_.clear();
  }
  size_t size() const { return order_.size(); }

 private:
  struct Entry {
    std::string key;
    V value;
    uint64_t turn;  // when it moved to the front
  };
  using Order = std::list<Entry>;

  // An entry in the front eighth is not moved: moving it would touch the memory of its neighbours at each use.
  void use(typename Order::iterator entry) {
    if (turn_ - entry->turn <= recent_) return;
    entry->turn = ++turn_;
    order_.splice(order_.begin(), order_, entry);
  }

  size_t capacity_;
  uint64_t recent_;
  uint64_t turn_ = 0;
  Order order_;
  std::unordered_map<std::string_view, typename Order::iterator, Hash, std::equal_to<>> index_;
};

}  // namespace mb
