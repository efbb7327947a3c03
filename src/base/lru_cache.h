// A bounded cache that drops the least recently used entry. Not thread-safe: one a core, or under a lock of its owner.
#pragma once

#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

namespace mb {

struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

template <class V>
class LruCache {
 public:
  explicit LruCache(size_t capacity) : capacity_(capacity) {}

  // The entry, now the most recently used, or null. Valid until the next non-const call.
  V* find(std::string_view key) {
    auto it = index_.find(key);
    if (it == index_.end()) return nullptr;
    order_.splice(order_.begin(), order_, it->second);
    return &it->second->second;
  }
  V& put(std::string key, V value) {
    if (auto it = index_.find(key); it != index_.end()) {
      it->second->second = std::move(value);
      order_.splice(order_.begin(), order_, it->second);
      return it->second->second;
    }
    if (order_.size() >= capacity_) {
      index_.erase(order_.back().first);
      order_.pop_back();
    }
    order_.emplace_front(std::move(key), std::move(value));
    index_.emplace(order_.front().first, order_.begin());
    return order_.front().second;
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
  using Order = std::list<std::pair<std::string, V>>;
  size_t capacity_;
  Order order_;
  std::unordered_map<std::string_view, typename Order::iterator, StringHash, std::equal_to<>> index_;
};

}  // namespace mb
