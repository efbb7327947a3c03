// What is kept of runs: the last 50 of each function, figures of each function, and how many runs a project had each
// month. A run costs the log a lock and a move; it is written behind, a commit a function each second. A process that
// is killed loses what it has not written: at most the last second's.
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
#include "store/store.h"

namespace mb::functions {

inline constexpr int64_t kMaxRuns = 50;
inline constexpr size_t kMaxKeptResult = 16 << 10;

struct FunctionStats {
  std::string name;
  int64_t runs = 0;
  int64_t errors = 0;
  int64_t timeouts = 0;
  // Of the last 256 runs; null where there are none.
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

// Whose run it was.
struct RunOf {
  store::ProjectNo project = 0;
  std::string name;        // of the function
  std::string functionId;  // another function of the name does not get the entry
};

// In memory stand at most 50 runs of a function that are not written yet, and 32 MiB of all; past that lines of logs
// are left out. Any core.
class RunLog {
 public:
  // References outlive it.
  RunLog(store::DocumentStore& store, Cores& cores) : store_(store), cores_(cores) {}

  // `counted`: in the figures of the function. `metered`: in the month of the project.
  struct Counting {
    bool counted = true;
    bool metered = true;
  };
  // A result larger than kMaxKeptResult is left out by the caller.
  void add(RunOf of, RunView run, Counting counting);

  // Newest first; with all that was added before the call.
  Task<std::vector<RunView>> list(RunOf of, int64_t limit);
  // Of those functions of a project, in their order.
  Task<std::vector<FunctionStats>> stats(store::ProjectNo project, std::vector<RunOf> functions);
  // Runs of the month of `at` (UTC).
  Task<int64_t> runsOfMonth(store::ProjectNo project, Timestamp at);

  void start(TaskGroup& tasks);
  // What was added before it is still written.
  void stop() { flushes_.stop(); }
  // Writes all that was added before the call. Fails where the store does; what was not written is tried again.
  Task<> flush();

  // All that is stored of a function's runs, for the write that deletes it.
  static std::vector<store::WriteTarget> allOf(store::ProjectNo project, const std::string& functionId);

 private:
  // Of one function, since it was last written.
  struct Pending {
    RunOf of;
    std::deque<RunView> runs;  // the last 50
    int64_t counted = 0;
    int64_t errors = 0;
    int64_t timeouts = 0;
    std::deque<int64_t> durations;  // the last 256
    std::optional<Timestamp> lastRunAt;
  };
  struct Month {
    store::ProjectNo project = 0;
    std::string month;  // "2026-01"
    int64_t runs = 0;
  };
  struct Work {
    std::unordered_map<std::string, Pending> functions;  // by functionId
    std::map<std::pair<store::ProjectNo, std::string>, int64_t> months;
    size_t bytes = 0;
    bool empty() const { return functions.empty() && months.empty(); }
  };
  // One writes at a time.
  struct Turn {
    Work work;
    uint64_t upTo = 0;  // of what was ever added
  };
  std::optional<Turn> begin();  // nullopt while another writes
  void end(Turn turn, bool written);
  void awaitEnd(Resumer<bool> resumer);
  uint64_t added() const;
  bool holds(uint64_t wanted) const;

  Async<void> loggedFlush();
  Task<> writeAll(Work& work);
  Task<> write(const Pending& pending);
  // Fails with retry where other runs of the function were written meanwhile.
  Task<> tryWrite(const Pending& pending);
  Task<> writeMonth(store::ProjectNo project, std::string month, int64_t runs);
  void putBack(Work work);
  static void join(Pending& older, Pending newer);

  store::DocumentStore& store_;
  Cores& cores_;
  mutable std::mutex mutex_;
  Work work_;
  uint64_t added_ = 0;    // ever
  uint64_t written_ = 0;  // of them
  bool writing_ = false;
  std::vector<Resumer<bool>> waiting_;  // for the end of what is being written
  PeriodicTask flushes_;
  bool flushFails_ = false;  // the last of flushes_; logged once
};

}  // namespace mb::functions
