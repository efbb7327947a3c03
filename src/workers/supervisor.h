// The thread that starts, watches and ends worker processes, so that no core waits for any of it, and nothing of it for
// a core. It outlives what it starts: the processes end with it. Private to workers/.
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
  // Called on the keeper's thread.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual void onStarted(const WorkerHandlePtr& handle, Result<Process> process) = 0;
    // `killed`: by a SIGKILL, be it endProcessOf()'s or from outside.
    virtual void onReaped(const WorkerHandlePtr& handle, bool killed) = 0;
    // What time brings about; when it is to be called again.
    virtual Time look(Time now) = 0;
  };

  WorkerSupervisor(Owner& owner, std::filesystem::path program, std::vector<std::string> arguments);
  ~WorkerSupervisor();  // stop()

  void start();
  // Kills what still lives, reaps it and ends the thread. Blocks.
  void stop();

  // Any thread, the following too. A process for the seat, which gets its pid; or the process's end, once, however
  // often it is asked for.
  void startProcessOf(WorkerHandlePtr handle);
  void endProcessOf(WorkerHandlePtr handle);
  // look() soon, where it would be later than in `patience`.
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
  std::atomic<Time> nextLook_{};
  std::vector<WorkerHandlePtr> living_;  // this thread's own, as is the next: with a process that was not told to end
  std::vector<WorkerHandlePtr> dying_;
  std::thread thread_;
};

}  // namespace mb::workers
