// The RunLog stores the last 50 runs of each function, statistics of each function, and the number of runs of a project
// in each month. Next to the entry of a run that can be repeated it stores the run's input, in a separate collection,
// so that reading the log reads no events. Adding a run costs a lock and a move. The log is written every second, in a
// commit per function. A process that is killed loses at most the last second's entries, and of the month those runs
// that are not counted in the commit of their job (RunJobs).
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <unordered_map>

#include "base/cores.h"
#include "base/periodic_task.h"
#include "base/task_group.h"
#include "functions/function_types.h"
#include "functions/run_quota.h"
#include "store/store.h"

namespace mb::functions {

inline constexpr int64_t kMaxRuns = 50;
inline constexpr size_t kMaxEndedProjects = 50'000;
inline constexpr size_t kMaxKeptResult = 16 << 10;
// The number of runs of a month is kept until a month begins that is this many days after its end: as long as billing/
// keeps its own records, which it completes by the runs of past months.
inline constexpr int kStoredMonthDays = 152;

struct FunctionStats {
  std::string name;
  int64_t runs = 0;
  int64_t errors = 0;
  int64_t timeouts = 0;
  // Of the last 256 runs; null without runs.
  doc::Nullable<int64_t> p50Ms;
  doc::Nullable<int64_t> p95Ms;
  doc::Nullable<Timestamp> lastRunAt;
  static constexpr auto shape() {
    return doc::shape<FunctionStats>(
        "FunctionStats", doc::field("name", &FunctionStats::name), doc::field("runs", &FunctionStats::runs),
        doc::field("errors", &FunctionStats::errors), doc::field("timeouts", &FunctionStats::timeouts),
        doc::field("p50Ms", &FunctionStats::p50Ms), doc::field("p95Ms", &FunctionStats::p95Ms),
        doc::field("lastRunAt", &FunctionStats::lastRunAt));
  }
};

// The function of a run.
struct RunOf {
  store::ProjectNo project = 0;
  std::string name;        // of the function
  std::string functionId;  // a later function of the same name does not get the entry
};

// The input of a run, by which it can be repeated.
struct RunInput {
  int64_t depth = 0;  // of the run
  doc::Document event;
};

// At most 50 unwritten runs of a function are in memory, and 32 MiB of all functions; past that log lines,
// results, calls and inputs are left out. Any core.
class RunLog {
 public:
  // References outlive it.
  RunLog(store::DocumentStore& store, Cores& cores) : store_(store), cores_(cores) {}

  // `counted`: in the figures of the function. `metered`: in the month of the project, unless the caller counts the
  // run.
  struct Counting {
    bool counted = true;
    bool metered = true;
  };
  // The caller leaves out a result larger than kMaxKeptResult. `permit`: of a metered run that was taken from a limit.
  void add(RunOf of, RunView run, Counting counting, std::optional<RunInput> input = std::nullopt,
           std::optional<RunQuota::Permit> permit = std::nullopt);
  // Counts a run that has ended in a month, to be written behind; `permit` as above.
  void count(ProjectMonth month, std::optional<RunQuota::Permit> permit = std::nullopt);

  // Newest first; includes all runs added before the call.
  Task<std::vector<RunView>> list(RunOf of, int64_t limit);
  struct Logged {
    RunView run;
    std::optional<RunInput> input;
  };
  // The run of this id; nullopt if the log does not hold it, or not any more. Includes all runs added before the call.
  Task<std::optional<Logged>> find(RunOf of, std::string id);
  // Of these functions of a project, in their order.
  Task<std::vector<FunctionStats>> stats(store::ProjectNo project, std::vector<RunOf> functions);
  // Runs of the month of `at` (UTC), of kStoredMonthDays: those that were added before the call, and those whose job's
  // commit counted them before it.
  Task<int64_t> runsOfMonth(store::ProjectNo project, Timestamp at);
  // Takes a run from the limit `max` of the month of `at` (UTC), in which metered runs that have ended and those under
  // way with a permit count. The first call for a month reads the store. Fails with the store's error.
  Task<RunQuota::Taken> take(store::ProjectNo project, Timestamp at, int64_t max);

  // How many runs that count in their function's figures have ended in each project since the call before, of at most
  // kMaxEndedProjects projects.
  std::unordered_map<store::ProjectNo, uint32_t> takeEnded();
  void start(TaskGroup& tasks);
  // Runs added before the call are still written.
  void stop() { flushes_.stop(); }
  // Writes all runs added before the call. Fails with the store's error; unwritten runs are retried later.
  Task<> flush();

  // All stored documents of a function's runs, for the write that deletes it.
  static std::vector<store::WriteTarget> allOf(store::ProjectNo project, const std::string& functionId);

 private:
  // The unwritten runs of one function.
  struct Pending {
    RunOf of;
    std::deque<Logged> runs;  // the last 50
    int64_t counted = 0;
    int64_t errors = 0;
    int64_t timeouts = 0;
    std::deque<int64_t> durations;  // the last 256
    std::optional<Timestamp> lastRunAt;
  };
  struct Work {
    std::unordered_map<std::string, Pending> functions;  // by functionId
    std::map<ProjectMonth, int64_t> months;
    size_t bytes = 0;
    bool empty() const { return functions.empty() && months.empty(); }
  };
  // The work of one flush; one flush, or one load, runs at a time.
  struct FlushBatch {
    Work work;
    uint64_t upTo = 0;  // added_ when it began
  };
  std::optional<FlushBatch> begin();  // nullopt while another flush runs, or a load
  void end(FlushBatch batch, bool written);
  void awaitEnd(Resumer<bool> resumer);
  uint64_t added() const;
  bool holds(uint64_t wanted) const;

  Async<void> loggedFlush();
  Task<> writeAll(Work& work);
  Task<> write(const Pending& pending);
  // Fails with retry if other runs of the function were written concurrently.
  Task<> tryWrite(const Pending& pending);
  Task<> writeMonth(ProjectMonth month, int64_t runs);
  // REQUIRES: mutex_ is held.
  void countNow(ProjectMonth month, std::optional<RunQuota::Permit> permit);
  // Brings the month into quota_, with exactly the runs that have ended (run_log_months.cc says why).
  Task<> load(ProjectMonth month);
  // Logs a failure.
  Async<void> tryPrune(ProjectMonth month);
  bool beginLoad();  // false while a flush runs, or another load
  // `stored`: nullopt if it was not read, or could not be.
  void endLoad(const ProjectMonth& month, std::optional<int64_t> stored);
  void putBack(Work work);
  static void join(Pending& older, Pending newer);

  store::DocumentStore& store_;
  Cores& cores_;
  mutable std::mutex mutex_;
  Work work_;
  std::unordered_map<store::ProjectNo, uint32_t> ended_;  // since takeEnded()
  uint64_t added_ = 0;                                    // number of runs ever added
  uint64_t written_ = 0;                                  // number of them that are written
  bool writing_ = false;                                  // a flush runs, or a load
  std::vector<Resumer<bool>> waiting_;                    // for its end
  const std::shared_ptr<RunQuota> quota_ = std::make_shared<RunQuota>();
  PeriodicTask flushes_;
  bool flushFails_ = false;  // the last of flushes_ failed; logged once
};

}  // namespace mb::functions
