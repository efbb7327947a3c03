// From the change log to the cores: one reader for each project that somebody here follows, whose batches go as one
// shared object to every core that does. The log itself is the queue: a reader that waits is merely behind.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/cores.h"
#include "base/task_group.h"
#include "store/change_feed.h"

namespace mb::realtime {

// Immutable; any core.
struct LogBatch {
  std::vector<store::ChangeEntry> entries;
  uint64_t last = 0;      // everything up to here has been told with this one
  uint64_t lostUpTo = 0;  // the log had let go of what came before: changes up to here are missing; 0: none
};
using LogBatchPtr = std::shared_ptr<const LogBatch>;

struct ProjectReader;
using ProjectReaderPtr = std::shared_ptr<ProjectReader>;

// Gets each batch once on each core that follows the project, in order; every one must be given back by Feeds::done().
class BatchReceiver {
 public:
  virtual ~BatchReceiver() = default;
  virtual void receive(store::ProjectNo project, ProjectReaderPtr from, LogBatchPtr batch) = 0;
};

// Entries of one batch, and batches that a core may have in hand before the reader waits for it.
inline constexpr size_t kBatchEntries = 64;
inline constexpr int kBatchesInHand = 4;
// And of all projects together, a batch counting once for each core that has it: readers take turns above.
inline constexpr size_t kBatchesInAll = 128;

class Feeds {
 public:
  // `receivers`, one a core, outlive it.
  Feeds(store::ChangeFeed& feed, Cores& cores, std::vector<BatchReceiver*> receivers);
  ~Feeds();

  // Once, before the first follow().
  void start();
  // Ends the readers and waits for them; false when one has not ended by then. Not from a core.
  bool stop(std::chrono::milliseconds limit);

  // The core gets every change after the position that is returned (and maybe some before) until it unfollows. Each
  // follow() needs its unfollow().
  uint64_t follow(store::ProjectNo project, int core);
  void unfollow(store::ProjectNo project, int core);
  void done(const ProjectReaderPtr& reader, int core);

 private:
  static Async<void> read(Feeds* self, ProjectReaderPtr reader);
  Async<bool> ready(ProjectReaderPtr reader);
  Async<bool> readOnce(ProjectReaderPtr reader);
  void hand(const ProjectReaderPtr& reader, const LogBatchPtr& batch);
  void grown(store::ProjectNo project);
  void wake(ProjectReader& reader);

  store::ChangeFeed& feed_;
  Cores& cores_;
  const std::vector<BatchReceiver*> receivers_;
  std::shared_ptr<void> listening_;
  TaskGroup readers_;
  std::atomic<size_t> following_{0};  // readers; lets the commits of a server without sockets pass at once
  std::atomic<size_t> inHand_{0};     // batches, of all cores
  std::mutex mutex_;
  bool stopping_ = false;
  std::unordered_map<store::ProjectNo, ProjectReaderPtr> byProject_;  // under mutex_, as are the readers' fields
};

}  // namespace mb::realtime
