// A cache, bounded by its entries and their weights, that evicts entries that were not used recently: the least
// recently used ones, within an eighth of the capacity. Not thread-safe: one per core, or under its owner's lock.
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
  explicit LruCache(size_t capacity, size_t maxWeight = SIZE_MAX)
      : capacity_(capacity), maxWeight_(maxWeight), recent_(capacity / 8) {}

  // The entry, now among the most recently used, or null. Valid until the next non-const call.
  V* find(std::string_view key) {
    auto it = index_.find(key);
    if (it == index_.end()) return nullptr;
    use(it->second);
    return &it->second->value;
  }
  // REQUIRES: `weight` is at most the greatest weight of the cache.
  V& put(std::string key, V value, size_t weight = 0) {
    erase(key);
    while (!order_.empty() && (order_.size() >= capacity_ || weight_ + weight > maxWeight_)) {
      evict(std::prev(order_.end()));
    }
    order_.push_front({std::move(key), std::move(value), ++turn_, weight});
    weight_ += weight;
    index_.emplace(order_.front().key, order_.begin());
    return order_.front().value;
  }
  void erase(std::string_view key) {
    auto it = index_.find(key);
    if (it != index_.end()) evict(it->second);
  }
  void clear() {
    index_.clear();
    order_.clear();
    weight_ = 0;
  }
  size_t size() const { return order_.size(); }

 private:
  struct Entry {
    std::string key;
    V value;
    uint64_t turn;  // when it moved to the front
    size_t weight;
  };
  using Order = std::list<Entry>;

  // An entry in the front eighth is not moved: moving it would touch the memory of its neighbours at each use.
  void use(typename Order::iterator entry) {
    if (turn_ - entry->turn <= recent_) return;
    entry->turn = ++turn_;
    order_.splice(order_.begin(), order_, entry);
  }

  void evict(typename Order::iterator entry) {
    weight_ -= entry->weight;
    index_.erase(entry->key);
    order_.erase(entry);
  }

  size_t capacity_;
  size_t maxWeight_;
  size_t weight_ = 0;
  uint64_t recent_;
  uint64_t turn_ = 0;
  Order order_;
  std::unordered_map<std::string_view, typename Order::iterator, Hash, std::equal_to<>> index_;
};

}  // namespace mb
