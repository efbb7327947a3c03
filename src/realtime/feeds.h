// Delivers the change log to the cores: one reader for each project that is followed in this process passes each batch
// as one shared object to every core that follows the project. The log itself is the queue: a waiting reader only lags.
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
  uint64_t after = 0;     // the `last` of the batch before it
  uint64_t last = 0;      // this batch completes the changes up to here
  uint64_t lostUpTo = 0;  // changes up to here are missing, as the log no longer holds them; 0: none
};
using LogBatchPtr = std::shared_ptr<const LogBatch>;

struct ProjectReader;
using ProjectReaderPtr = std::shared_ptr<ProjectReader>;

// Receives each batch once on each core that follows the project, in order. Each must be returned by Feeds::done().
class BatchReceiver {
 public:
  virtual ~BatchReceiver() = default;
  virtual void receive(store::ProjectNo project, ProjectReaderPtr from, LogBatchPtr batch) = 0;
};

// Limits of the entries in one batch, and of the batches that a core may hold before the reader waits for it.
inline constexpr size_t kBatchEntries = 64;
inline constexpr int kBatchesInHand = 4;
// Limit of the batches of all projects, counted once for each core that holds them: at the limit readers poll for
// capacity.
inline constexpr size_t kBatchesInAll = 128;

class Feeds {
 public:
  // `receivers`, one a core, outlive it.
  Feeds(store::ChangeFeed& feed, Cores& cores, std::vector<BatchReceiver*> receivers);
  ~Feeds();

  // Called once, before the first follow().
  void start();
  // Ends the readers and waits for them; false if one has not ended within `limit`. Not from a core.
  bool stop(std::chrono::milliseconds limit);

  // The core gets every change after the returned position (and possibly some before it) until it unfollows. Each
  // follow() needs one unfollow().
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
  std::atomic<size_t> following_{0};  // readers; where it is 0, grown() returns without a lock
  std::atomic<size_t> inHand_{0};     // batches held by all cores
  std::mutex mutex_;
  bool stopping_ = false;
  std::unordered_map<store::ProjectNo, ProjectReaderPtr> byProject_;  // under mutex_, as are the readers' fields
};

}  // namespace mb::realtime
