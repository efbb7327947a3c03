// CheckedCodes caches the results of code checks: an import needs each twice, once to plan and once to apply, and a
// rollback needs one that was checked before.
#pragma once

#include <list>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "workers/workers.h"

namespace mb::functions {

// Evicts the least recently used entries past `maxBytes` in all. Thread-safe.
class CheckedCodes {
 public:
  explicit CheckedCodes(size_t maxBytes = 16 << 20) : maxBytes_(maxBytes) {}

  // Null if it is not cached.
  std::shared_ptr<const workers::CheckedCode> find(store::ProjectNo project, std::string_view code);
  void put(store::ProjectNo project, std::string_view code, workers::CheckedCode checked);

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const workers::CheckedCode> checked;
    size_t bytes = 0;
  };

  const size_t maxBytes_;
  std::mutex mutex_;
  std::list<Entry> entries_;  // the last used first
  std::unordered_map<std::string_view, std::list<Entry>::iterator> byKey_;
  size_t bytes_ = 0;
};

}  // namespace mb::functions
