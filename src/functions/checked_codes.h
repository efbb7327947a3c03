// What checks of code gave, for a while: an import asks twice for each function, once to plan and once to apply, and a
// rollback for what was checked before.
#pragma once

#include <list>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "workers/workers.h"

namespace mb::functions {

// The least recently asked for go first, past `maxBytes` in all. Any thread.
class CheckedCodes {
 public:
  explicit CheckedCodes(size_t maxBytes = 16 << 20) : maxBytes_(maxBytes) {}

  // Null where it is not known (any more).
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
  std::list<Entry> entries_;  // the last asked for first
  std::unordered_map<std::string_view, std::list<Entry>::iterator> byKey_;
  size_t bytes_ = 0;
};

}  // namespace mb::functions
