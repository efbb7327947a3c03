// A queue for background work that one event may request by the thousand: a few tasks run at once, the others wait,
// first come, first served. Repeated requests of a task queue it once.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <mutex>

#include "base/task_group.h"
#include "store/store.h"

namespace mb::store::embedded {

// The object that a task works on.
struct TaskSubject {
  ProjectNo project = 0;
  CollectionNo collection = 0;
  IndexNo index = 0;  // 0: all indexes of the collection
  auto operator<=>(const TaskSubject&) const = default;
};

class Backlog {
 public:
  using Work = std::function<Async<void>(TaskSubject)>;
  // Runs at most `limit` tasks at once, each as `work(subject)` on `executor`. REQUIRES: `group` ends before this
  // object.
  Backlog(TaskGroup& group, Executor executor, size_t limit, Work work)
      : group_(group), executor_(std::move(executor)), limit_(limit), work_(std::move(work)) {}

  // Runs the task after those that were added before. A running task is repeated, since it may have read its input
  // before this request. Any thread.
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
