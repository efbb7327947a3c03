// A ChangeFeed in memory: that of MemoryStore, and alone for tests with invented changes. Only trimTo() trims it. Any
// thread.
#pragma once

#include <map>

#include "store/change_feed.h"

namespace mb::store::testing {

class MemoryFeed final : public ChangeFeed {
 public:
  // ---- for tests
  // Assigns positions to the entries and notifies the listeners; returns the last position.
  uint64_t append(ProjectNo project, std::vector<ChangeEntry> entries);
  // The same in two steps.
  uint64_t add(ProjectNo project, std::vector<ChangeEntry> entries);
  void notifyListeners(ProjectNo project) const { listeners_.notify(project, lastPosition(project)); }
  // Drops the entries up to and including `position`.
  void trimTo(ProjectNo project, uint64_t position);
  // Makes all later calls of changes() fail with this code; nullopt: none.
  void failWith(std::optional<ErrorCode> code);
  // The number of calls that failed for that reason.
  size_t injectedFailures() const;
  size_t listeners() const { return listeners_.count(); }

  // ---- ChangeFeed
  Task<ChangeBatch> changes(ProjectNo project, uint64_t after, size_t limit) override;
  uint64_t lastPosition(ProjectNo project) const override;
  Task<uint64_t> frontier(ProjectNo project) override;
  std::shared_ptr<void> listen(ChangeListener listener) override { return listeners_.add(std::move(listener)); }

 private:
  struct Log {
    std::vector<ChangeEntry> held;  // without gaps
    uint64_t last = 0;
  };
  mutable std::mutex mutex_;
  std::map<ProjectNo, Log> logs_;
  std::optional<ErrorCode> failure_;
  size_t injectedFailures_ = 0;
  FeedListeners listeners_;
};

}  // namespace mb::store::testing
