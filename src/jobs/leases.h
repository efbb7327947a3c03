// Leases divide work among several processes that share a store: a process runs a job, or delivers the changes of a
// project, while it holds the lease of that name. Leases may be lost at any time, so they only spare work: what must
// not happen twice is decided by a commit. Within one process the queue itself prevents that a job runs twice at a
// time, and needs no leases.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/task.h"

namespace mb::jobs {

class Leases {
 public:
  virtual ~Leases() = default;
  // False if another process holds it, or if that is not known. The lease lasts until it is released, or until half a
  // minute after this process ended. Any core.
  virtual Async<bool> take(std::string id) = 0;
  virtual void release(const std::string& id) = 0;
  // Notifies the other processes of jobs just committed, within a second; without ids they start a sweep. Any thread.
  virtual void notify(const std::vector<std::string>& jobIds) = 0;
  // Calls `listener` with the notifications of other processes, on any thread, until the returned pointer is dropped. A
  // call that has begun may end after that: the listener owns what it uses. It may call the other functions.
  virtual std::shared_ptr<void> listen(std::function<void(std::vector<std::string>)> listener) = 0;

  // Keeps the held leases until stop(), which blocks, at most some seconds. Not from a core.
  virtual void start() = 0;
  virtual void stop() = 0;
};

}  // namespace mb::jobs
