// A Pool owns the workers of one kind: their scheduler, processes and connections. Thread-safe. Private to workers/.
#pragma once

#include <memory>
#include <mutex>

#include "base/cores.h"
#include "base/worker_pool.h"
#include "workers/connection.h"
#include "workers/priority.h"
#include "workers/scheduler.h"
#include "workers/supervisor.h"

namespace mb::workers {

struct PoolConfig {
  Cores& cores;
  const Clock& clock;
  std::filesystem::path program;
  std::vector<std::string> arguments;
  QueueLimits limits;
};

class Pool final : public std::enable_shared_from_this<Pool>, private ConnectionOwner, private WorkerSupervisor::Owner {
 public:
  explicit Pool(PoolConfig config);

  void start();
  // Resumes the job's caller when the job has ended. Call on a core.
  void submit(JobPtr job);
  // Refuses queued jobs, ends running ones, and waits until all processes are reaped. Not from a core; the cores must
  // be running.
  void stop();
  Workers::Stats stats() const;

 private:
  void onReady(const WorkerHandlePtr& handle, std::string_view engine, std::string_view confinement) override;
  void onFreed(const WorkerHandlePtr& handle, bool fit) override;
  ExitCause onDead(const WorkerHandlePtr& handle, std::string_view breach, std::string_view lastWords) override;
  void onDrained(const WorkerHandlePtr& handle) override;
  void offload(std::move_only_function<void()> work) override;
  void onUnbegun(JobPtr job) override;

  void onStarted(const WorkerHandlePtr& handle, Result<Process> process) override;
  void onReaped(const WorkerHandlePtr& handle, bool killed) override;
  Time tick(Time now) override;

  void watch(const WorkerHandlePtr& handle, Time now);
  void startFailed(std::string_view why);
  void removeIfReaped(const WorkerHandlePtr& handle, std::unique_lock<std::mutex>& lock);
  void execute(SchedulerActions actions);

  const PoolConfig config_;
  mutable std::mutex mutex_;
  std::condition_variable empty_;
  WorkerScheduler scheduler_;
  bool open_ = false;  // from start() to stop()
  uint64_t started_ = 0;
  uint64_t killed_ = 0;
  std::chrono::milliseconds startPause_{};  // after the last start that failed
  std::string confinement_;
  std::optional<Lowering> lowering_;  // set by the first worker
  WorkerPool decoders_{"clone", 1, 4096};
  WorkerSupervisor supervisor_;
};

}  // namespace mb::workers
