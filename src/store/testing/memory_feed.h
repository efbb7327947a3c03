// A ChangeFeed in memory: MemoryStore's, and on its own for tests that make up what happened. Nothing is trimmed but by
// trimTo(). Any thread.
#pragma once

#include <map>

#include "store/change_feed.h"

namespace mb::store::testing {

class MemoryFeed final : public ChangeFeed {
 public:
  // ---- for tests
  // Gives the entries their positions and tells the listeners; the last position.
  uint64_t append(ProjectNo project, std::vector<ChangeEntry> entries);
  // The same in two steps.
  uint64_t add(ProjectNo project, std::vector<ChangeEntry> entries);
  void tell(ProjectNo project) const { listeners_.notify(project, lastPosition(project)); }
  // Forgets the entries up to and with `position`.
  void trimTo(ProjectNo project, uint64_t position);
  // What keepAfter() was told says of the project; 0 before it was told.
  std::optional<uint64_t> neededAfter(ProjectNo project) const;
  // Every later call of changes() fails with this code; nullopt: none does.
  void failWith(std::optional<ErrorCode> code);
  size_t listeners() const { return listeners_.count(); }

  // ---- ChangeFeed
  Task<ChangeBatch> changes(ProjectNo project, uint64_t after, size_t limit) override;
  uint64_t lastPosition(ProjectNo project) const override;
  std::shared_ptr<void> listen(ChangeListener listener) override { return listeners_.add(std::move(listener)); }
  void keepAfter(KeptAfter needed) override;

 private:
  struct Log {
    std::vector<ChangeEntry> held;  // without holes
    uint64_t last = 0;
  };
  mutable std::mutex mutex_;
  std::map<ProjectNo, Log> logs_;
  KeptAfter needed_;
  std::optional<ErrorCode> failure_;
  FeedListeners listeners_;
};

}  // namespace mb::store::testing
