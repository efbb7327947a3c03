// The interface for running a function, by any trigger: context, bridge, limits, log entry.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "functions/function_table.h"
#include "functions/run_quota.h"
#include "policy/caller.h"

namespace mb::functions {

// The depth of a run is the length of its chain of triggering writes: a post run of a client's write has depth 1, a run
// without a triggering write 0. Past kMaxDepth no function runs.
inline constexpr int kMaxDepth = 5;

// A run of a pre-hook gets ctx.lookup, whatever its trigger; any other gets ctx.db and ctx.integrations.
struct Invocation {
  snapshot::SnapshotPtr project = {};
  FunctionPtr function = {};
  std::string trigger = {};  // RunView::trigger
  doc::Document event = {};
  std::optional<policy::Caller> caller = {};  // ctx.auth
  std::optional<doc::Document> request = {};  // ctx.request
  std::optional<std::string> rawBody = {};    // ctx.request.rawBody; set if `request` is
  std::string trace = {};                     // of the run's writes and calls (base/trace_context.h)
  int depth = 0;
  bool logged = true;                       // in the run log, the statistics and the meter
  bool repeatable = false;                  // the log keeps the run's input, so that the run can be repeated
  std::optional<int64_t> attempt = {};      // RunView::attempt
  std::optional<std::string> retryOf = {};  // RunView::retryOf
  workers::RunClass runClass = workers::RunClass::normal;
  std::optional<std::chrono::milliseconds> timeout = {};  // below the function's own
  std::optional<RunQuota::Permit> permit = {};            // set by FunctionRunner::admit()
  // True: the caller counts the run, if it is metered, once it knows whether the run is repeated. Where the deployment
  // has billing, such a run is taken from its month also without a limit.
  bool countedByCaller = false;
};

struct FinishedRun {
  RunView view;
  workers::RunStatus status = workers::RunStatus::error;
  bool stopped = false;      // the server's stop ended it: retry after the next start
  bool killed = false;       // its worker was killed from outside: retry a few times
  bool endedWorker = false;  // workers::RunOutcome::endedWorker
  // A call was refused because its project was suspended: retry after the resume.
  bool suspended = false;
  // Of a run with Invocation::countedByCaller that was taken from its month: the run is under way until it is counted.
  std::optional<RunQuota::Permit> permit = {};
};

class Runner {
 public:
  virtual ~Runner() = default;
  // Any core. A busy pool is a status, not an error; the run is then neither logged nor counted. Fails before anything
  // runs: with planRunLimit where the plan allows no more runs in this month, with unavailable if the runs of the month
  // could not be read. A run that is not metered, such as that of a pre-hook, never fails.
  virtual Task<FinishedRun> run(Invocation invocation) = 0;
};

}  // namespace mb::functions
