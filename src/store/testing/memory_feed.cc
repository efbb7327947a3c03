#include "store/testing/memory_feed.h"

#include <algorithm>

namespace mb::store::testing {

uint64_t MemoryFeed::append(ProjectNo project, std::vector<ChangeEntry> entries) {
  const uint64_t last = add(project, std::move(entries));
  notifyListeners(project);
  return last;
}

uint64_t MemoryFeed::add(ProjectNo project, std::vector<ChangeEntry> entries) {
  const std::lock_guard lock(mutex_);
  Log& log = logs_[project];
  for (ChangeEntry& entry : entries) {
    entry.position = ++log.last;
    log.held.push_back(std::move(entry));
  }
  return log.last;
}

void MemoryFeed::trimTo(ProjectNo project, uint64_t position) {
  const std::lock_guard lock(mutex_);
  std::erase_if(logs_[project].held, [&](const ChangeEntry& entry) { return entry.position <= position; });
}

void MemoryFeed::failWith(std::optional<ErrorCode> code) {
  const std::lock_guard lock(mutex_);
  failure_ = code;
}

size_t MemoryFeed::injectedFailures() const {
  const std::lock_guard lock(mutex_);
  return injectedFailures_;
}

Task<ChangeBatch> MemoryFeed::changes(ProjectNo project, uint64_t after, size_t limit) {
  const std::lock_guard lock(mutex_);
  if (failure_) {
    ++injectedFailures_;
    co_return fail(*failure_, "the change log fails, as the test asked");
  }
  const auto log = logs_.find(project);
  ChangeBatch batch{.entries = {}, .through = after};
  if (log == logs_.end()) co_return batch;
  const uint64_t trimmed = log->second.last - log->second.held.size();
  if (trimmed > after) batch.through = batch.lostUpTo = trimmed;
  for (const ChangeEntry& entry : log->second.held) {
    if (batch.entries.size() == std::min(limit, kMaxChanges)) break;
    if (entry.position <= after) continue;
    batch.entries.push_back(entry);
    batch.through = entry.position;
  }
  co_return batch;
}

uint64_t MemoryFeed::lastPosition(ProjectNo project) const {
  const std::lock_guard lock(mutex_);
  const auto log = logs_.find(project);
  return log == logs_.end() ? 0 : log->second.last;
}

Task<uint64_t> MemoryFeed::frontier(ProjectNo project) {
  const std::lock_guard lock(mutex_);
  if (failure_) co_return fail(*failure_, "the change log fails, as the test asked");
  const auto log = logs_.find(project);
  co_return log == logs_.end() ? 0 : log->second.last;
}

}  // namespace mb::store::testing
