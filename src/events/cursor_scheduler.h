// A CursorScheduler holds the cursors in memory and schedules projects round robin. Thread-safe. Private to events/.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "events/cursor.h"

namespace mb::events {

struct Cursor {
  bool known = false;  // read from the store after the last join
  std::string projectId;
  uint64_t position = 0;
  std::string made;
  int64_t generation = 0;
  uint64_t stored = 0;    // the position that the row holds
  uint64_t unstored = 0;  // changes between `stored` and `position`
  std::chrono::steady_clock::time_point storedAt;

  static Cursor of(const CursorRecord& record);
};

class CursorScheduler {
 public:
  explicit CursorScheduler(size_t workers) : maxWorkers_(workers) {}

  void loaded(store::ProjectNo project, Cursor cursor);

  // Queues the project, if it has a cursor. True when the caller must start a worker.
  bool wake(store::ProjectNo project);
  // Like wake(), but creates a missing cursor at `after`, and has the cursor's row read again.
  bool renew(store::ProjectNo project, uint64_t after);

  // For workers: the next queued project, which belongs to the caller until endStep() or leave(); nullopt ends the
  // worker.
  std::optional<store::ProjectNo> nextProject();
  Cursor cursorOf(store::ProjectNo project) const;
  void move(store::ProjectNo project, const Cursor& cursor);
  // Records that the project is suspended as of this epoch, until its next step. Only during the project's step.
  void suspendedAsOf(store::ProjectNo project, uint64_t epoch);
  // At most `limit` suspended projects with numbers above `after`, ascending, with their epochs.
  std::vector<std::pair<store::ProjectNo, uint64_t>> suspendedBehind(store::ProjectNo after, size_t limit) const;
  // `again`: the project is queued again.
  void endStep(store::ProjectNo project, bool again);
  // Ends the project's step and removes its cursor. If the project was woken during the step, since a consumer may have
  // joined, the cursor stays, to be read again, and the project is queued again.
  void leave(store::ProjectNo project);

  // ---- which projects this process delivers, where several share the store
  // Adds a cursor that another process has created; no effect on one that is there. True if the project is not leased.
  bool adopt(store::ProjectNo project, Cursor cursor);
  bool isLeased(store::ProjectNo project) const;
  // Whether the lease may be requested now: it is not right after another process was found to hold it.
  bool mayLease(store::ProjectNo project) const;
  void setLeased(store::ProjectNo project, bool leased);
  std::vector<store::ProjectNo> leased() const;

  void stop();
  bool stopping() const;

 private:
  struct Entry {
    Cursor cursor;
    bool queued = false;
    bool running = false;
    bool again = false;    // woken during its step
    bool renewed = false;  // its row must be read again
    bool leased = false;
    std::chrono::steady_clock::time_point leaseAfter;  // not requested before
  };
  bool queue(store::ProjectNo project, Entry& entry);

  const size_t maxWorkers_;
  mutable std::mutex mutex_;
  std::unordered_map<store::ProjectNo, Entry> entries_;
  std::deque<store::ProjectNo> queue_;
  std::map<store::ProjectNo, uint64_t> suspended_;  // epochs, of projects in entries_
  size_t workers_ = 0;
  bool stopping_ = false;
};

}  // namespace mb::events
