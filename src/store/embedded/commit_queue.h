// The queue of the commit thread. Each core submits the writes of one iteration of its event loop together; a group is
// all that waits when the last sync returns.
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

  // Reserves space for a write; false when the queue is full. An admitted write must be submitted.
  bool admit(const Commit& commit);
  // Called by the thread that awaits the write: a core, or any other.
  void submit(Commit& commit, Resumer<bool> resumer);

  // ---- for the commit thread
  // Waits for writes and fills `group`; false when stopped and empty.
  bool takeGroup(std::vector<Commit*>& group);
  // Releases the queue space of a group.
  void done(size_t writes, size_t bytes);
  // Lets takeGroup() return false once it has returned all submitted writes.
  void stop();

 private:
  struct Outbox {
    std::vector<Commit*> commits;
  };
  // Round robin over projects; each project's writes stay in order.
  class RoundRobinQueue {
   public:
    void push(Commit& commit);
    Commit* front();
    void pop();

   private:
    std::unordered_map<ProjectState*, std::deque<Commit*>> waiting_;
    std::deque<ProjectState*> order_;
  };
  void flush(int core);
  void enqueue(std::span<Commit* const> commits);
  void takeRoundRobin(std::vector<Commit*>& group);

  Cores& cores_;
  PerCore<Outbox> outboxes_;
  std::atomic<size_t> writes_{0};
  std::atomic<size_t> bytes_{0};

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Commit*> pending_;
  bool idle_ = false;
  bool stopping_ = false;

  // Used by the commit thread only: the writes that did not fit into the last group.
  RoundRobinQueue normal_;
  RoundRobinQueue low_;
};

}  // namespace mb::store::embedded
