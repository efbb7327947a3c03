// The cursors in memory, and whose turn it is. Any thread. Private to events/.
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
  bool known = false;  // read from the store since somebody joined
  std::string projectId;
  uint64_t position = 0;
  std::string made;
  int64_t generation = 0;
  uint64_t stored = 0;  // the position that the row holds
  std::chrono::steady_clock::time_point storedAt;

  static Cursor of(const CursorRecord& record);
};

class CursorScheduler {
 public:
  explicit CursorScheduler(size_t workers) : maxWorkers_(workers) {}

  // What the log must keep (store::KeptAfter): everything, until all cursors are here.
  std::optional<uint64_t> keptAfter(store::ProjectNo project) const;
  void loaded(store::ProjectNo project, Cursor cursor);
  void allLoaded();

  // Somebody is about to follow what comes behind `after`.
  void join(store::ProjectNo project, uint64_t after);
  // Gives the project a turn, where it has a cursor. True when a worker is to be started for it.
  bool wake(store::ProjectNo project);
  // The cursor is to be read again; else like wake(), and there is one from now on.
  bool renew(store::ProjectNo project, uint64_t after);

  // For workers: a project whose turn it is, until endTurn(); nullopt ends the worker.
  std::optional<store::ProjectNo> nextTurn();
  Cursor cursorOf(store::ProjectNo project) const;
  void move(store::ProjectNo project, const Cursor& cursor);
  // In the project's turn: it is suspended as of this epoch. So it is noted until its next turn.
  void suspendedAsOf(store::ProjectNo project, uint64_t epoch);
  // Those noted behind `after` with their epochs, ascending, at most so many.
  std::vector<std::pair<store::ProjectNo, uint64_t>> suspendedBehind(store::ProjectNo after, size_t limit) const;
  // `again`: there is more to do.
  void endTurn(store::ProjectNo project, bool again);
  // Ends the project's turn and its place, unless somebody joined meanwhile.
  void leave(store::ProjectNo project);

  void stop();
  bool stopping() const;

 private:
  struct Entry {
    Cursor cursor;
    bool queued = false;
    bool running = false;
    bool again = false;    // woken while it ran
    bool renewed = false;  // its row is to be read again
  };
  bool queue(store::ProjectNo project, Entry& entry);

  const size_t maxWorkers_;
  mutable std::mutex mutex_;
  std::unordered_map<store::ProjectNo, Entry> entries_;
  std::deque<store::ProjectNo> turns_;
  std::map<store::ProjectNo, uint64_t> suspended_;  // epochs, of projects in places_
  size_t workers_ = 0;
  bool loaded_ = false;
  bool stopping_ = false;
};

}  // namespace mb::events
