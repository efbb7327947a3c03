// Background work that one event may ask for by the thousand: a few tasks run at once, the others wait in a line, first
// come, first served. A task stands in the line once, however often it is asked for.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <mutex>

#include "base/task_group.h"
#include "store/store.h"

namespace mb::store::embedded {

// What a task is about.
struct TaskSubject {
  ProjectNo project = 0;
  CollectionNo collection = 0;
  IndexNo index = 0;  // 0: all of the collection's
  auto operator<=>(const TaskSubject&) const = default;
};

class Backlog {
 public:
  using Work = std::function<Async<void>(TaskSubject)>;
  // At most `limit` tasks at once, each `work(subject)` on `executor`. `group` ends before this does.
  Backlog(TaskGroup& group, Executor executor, size_t limit, Work work)
      : group_(group), executor_(std::move(executor)), limit_(limit), work_(std::move(work)) {}

  // Runs the task after those that were added before; where it runs already, once more, as it may have read too early
  // what it is now asked for. Any thread.
  void add(TaskSubject subject);

 private:
  enum class State { waiting, running, runningToBeRepeated };
  Async<void> drain();
  std::optional<TaskSubject> next();
  void done(const TaskSubject& subject);

  TaskGroup& group_;
  const Executor executor_;
  const size_t limit_;
  const Work work_;
  std::mutex mutex_;
  std::map<TaskSubject, State> states_;
  std::deque<TaskSubject> waiting_;
  size_t running_ = 0;
};

}  // namespace mb::store::embedded
