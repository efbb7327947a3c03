// The implementation of Dispatcher. Private to events/.
#pragma once

#include <atomic>
#include <boost/asio/steady_timer.hpp>

#include "base/task_group.h"
#include "events/cursor_scheduler.h"
#include "events/dispatcher.h"

namespace mb::events {

// The jobs of one commit.
struct Batch {
  std::vector<jobs::JobSpec> jobs;
  size_t bytes = 0;       // of their payloads
  uint64_t changes = 0;   // that are completed
  uint64_t position = 0;  // the batch holds all jobs of the changes up to and including it
  std::string made;       // of the change after that: the id of the last job in the batch; "" for none
  std::vector<std::string> groups() const;
};

enum class Step {
  rest,    // nothing is left for now
  more,    // to do at once
  absent,  // the project has no cursor
};

struct Dispatcher::Impl : std::enable_shared_from_this<Impl> {
  explicit Impl(DispatcherDeps d);

  void wake(store::ProjectNo project);
  void startWorker();
  // Every `lookEvery`: wakes the suspended projects whose epoch has changed, and those that no process delivers.
  static Async<void> poll(std::shared_ptr<Impl> self);
  Async<void> wakeChanged();
  // Wakes the projects that are behind and not leased by this process.
  Task<> wakeBehind();
  // Calls `visit` with each stored cursor.
  Task<> eachCursor(std::function<void(const CursorRecord&)> visit);
  // Whether this process delivers the project's changes; requests the lease if not.
  Async<bool> holdsLease(store::ProjectNo project);
  void releaseLease(store::ProjectNo project);
  static Async<void> work(std::shared_ptr<Impl> self);
  // One step of a project.
  Task<Step> advance(store::ProjectNo project);
  Task<std::optional<CursorRecord>> rowOf(store::ProjectNo project);
  bool anyFollows(const snapshot::SnapshotPtr& project) const;
  Batch batchOf(const snapshot::ProjectSnapshot& project, const Cursor& cursor,
                const store::ChangeBatch& changes) const;
  // False when the row has changed since it was read.
  Task<bool> commit(store::ProjectNo project, Cursor cursor, Batch batch);
  Task<Step> forget(store::ProjectNo project, int64_t generation);

  const DispatcherDeps deps;
  std::shared_ptr<CursorScheduler> cursors;
  std::vector<Consumer*> consumers;
  std::shared_ptr<void> listening;
  std::atomic<size_t> nextCore = 0;
  std::atomic<bool> failing = false;  // a failure was logged, and no step has succeeded since
  asio::steady_timer timer;           // on core 0
  TaskGroup tasks;
};

}  // namespace mb::events
