// Who runs which job. Rows say what is to be done; leases say who is at it, and are never durable.
//
// This is the seam for several instances: there, a lease and a wake-up go through what the instances share (take with
// an end, renewed while the run lasts; a lost one is offered again by the sweep). Within one process a lease is held
// until the run ends, and the end of the process ends them all.
#pragma once

#include <string>
#include <unordered_set>

namespace mb::jobs {

class Leases {
 public:
  virtual ~Leases() = default;
  // False when somebody else runs the job.
  virtual bool take(const std::string& jobId) = 0;
  virtual void release(const std::string& jobId) = 0;
};

// Of one process. Only on the queue's own core.
class LocalLeases final : public Leases {
 public:
  bool take(const std::string& jobId) override { return held_.insert(jobId).second; }
  void release(const std::string& jobId) override { held_.erase(jobId); }

 private:
  std::unordered_set<std::string> held_;
};

}  // namespace mb::jobs
