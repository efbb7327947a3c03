// A WorkerSupervisor is the thread that starts, watches and ends worker processes, so that cores never wait for
// processes, and it never waits for a core. The processes end with the thread. Private to workers/.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "workers/process.h"
#include "workers/worker_handle.h"

namespace mb::workers {

class WorkerSupervisor {
 public:
  // Called on the supervisor's thread.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual void onStarted(const WorkerHandlePtr& handle, Result<Process> process) = 0;
    // `killed`: by a SIGKILL, of endProcessOf() or from outside.
    virtual void onReaped(const WorkerHandlePtr& handle, bool killed) = 0;
    // Does periodic work; returns when it must be called again.
    virtual Time tick(Time now) = 0;
  };

  WorkerSupervisor(Owner& owner, std::filesystem::path program, std::vector<std::string> arguments);
  ~WorkerSupervisor();  // stop()

  void start();
  // Kills and reaps the remaining processes and ends the thread. Blocks.
  void stop();

  // The following on any thread; the supervisor's thread does the work. Starts a process and sets the handle's pid.
  void startProcessOf(WorkerHandlePtr handle);
  // Kills the handle's process. Further calls have no effect.
  void endProcessOf(WorkerHandlePtr handle);
  // Calls tick() soon if it is due later than in `patience`.
  void wakeWithin(std::chrono::milliseconds patience, Time now);

 private:
  void loop();
  void startOne(const WorkerHandlePtr& handle);
  void endOne(const WorkerHandlePtr& handle);
  void reap();

  Owner& owner_;
  const std::filesystem::path program_;
  const std::vector<std::string> arguments_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<WorkerHandlePtr> toStart_, toEnd_;
  bool stopping_ = false;
  std::atomic<Time> nextTick_{};
  // Used by the thread alone.
  std::vector<WorkerHandlePtr> living_;  // with a process that was not killed
  std::vector<WorkerHandlePtr> dying_;   // killed, not reaped
  std::thread thread_;
};

}  // namespace mb::workers
