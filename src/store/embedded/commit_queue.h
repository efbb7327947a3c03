// What waits for the commit thread. Each core hands over the writes of one turn of its io_context together; a group is
// whatever waits when the last sync returns.
#pragma once

#include "store/embedded/commit.h"

namespace mb::store::embedded {

inline constexpr size_t kGroupWrites = 1024;
inline constexpr size_t kGroupBytes = 1 << 20;
inline constexpr size_t kQueueWrites = 8192;
inline constexpr size_t kQueueBytes = 64 << 20;

class CommitQueue {
 public:
  explicit CommitQueue(Cores& cores) : cores_(cores), outboxes_(cores.count()) {}

  // Room for a write of that size; false when the queue is full. What was admitted must be submitted.
  bool admit(const Commit& commit);
  // From the thread that awaits it: a core, or any other.
  void submit(Commit& commit, Resumer<bool> resumer);

  // ---- the commit thread's
  // Waits for writes and fills `group`; false when stopped and empty.
  bool takeGroup(std::vector<Commit*>& group);
  // The module that a group took is free again.
  void done(size_t writes, size_t bytes);
  // Lets takeGroup() end once all that was handed over is taken.
  void stop();

 private:
  struct Outbox {
    std::vector<Commit*> commits;
  };
  // Projects take turns, each with its own writes in order.
  class RoundRobinQueue {
   public:
    void push(Commit& commit);
    Commit* front();
    void pop();

   private:
    std::unordered_map<ProjectState*, std::deque<Commit*>> waiting_;
    std::deque<ProjectState*> turns_;
  };
  void flush(int core);
  void hand(std::span<Commit* const> commits);
  void takeTurns(std::vector<Commit*>& group);

  Cores& cores_;
  PerCore<Outbox> outboxes_;
  std::atomic<size_t> writes_{0};
  std::atomic<size_t> bytes_{0};

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Commit*> pending_;
  bool idle_ = false;
  bool stopping_ = false;

  // The commit thread's own: what did not fit into the last group.
  RoundRobinQueue normal_;
  RoundRobinQueue low_;
};

}  // namespace mb::store::embedded
