// Who runs which job, among several processes that share a store. Rows say what is to be done; leases say who is at it,
// and are never durable: one that is lost has its job offered again by a sweep. Within one process the queue itself
// sees to it that no job runs twice, and goes without this.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/task.h"

namespace mb::jobs {

class Leases {
 public:
  virtual ~Leases() = default;
  // False when another process runs the job. Held from here on until it is released, or this process is gone for half a
  // minute. Any core.
  virtual Async<bool> take(std::string jobId) = 0;
  virtual void release(const std::string& jobId) = 0;
  // Tells the other processes of jobs just committed; without ids: look now. Any thread.
  virtual void tell(const std::vector<std::string>& jobIds) = 0;
  // Has `told` called with what others tell; any thread. Until what is returned is dropped.
  virtual std::shared_ptr<void> listen(std::function<void(std::vector<std::string>)> told) = 0;
};

}  // namespace mb::jobs
