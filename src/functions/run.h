// A FunctionRunner executes one run of a function, from the event to its entry in the log.
#pragma once

#include "data/service_documents.h"
#include "functions/bridge.h"
#include "functions/run_log.h"
#include "functions/runner.h"
#include "plans/plans.h"
#include "variables/variables.h"

namespace mb::functions {

// References outlive the runner.
struct FunctionRunnerDeps {
  workers::Executor& executor;
  data::ServiceDocuments& documents;
  ProjectHostDeps host;
  const variables::Variables& variables;
  plans::PlanSlot plan;
  RunLog& log;
  IdGenerator& ids;
  const Clock& clock;
};

class FunctionRunner final : public Runner {
 public:
  explicit FunctionRunner(FunctionRunnerDeps deps) : deps_(deps) {}

  Task<FinishedRun> run(Invocation invocation) override;
  // Takes the run from the limit of its project's plan, if that limits it; run() then does not take it again. For what
  // must know first whether it may run. Fails as run() does. A run with `countedByCaller` and without a limit stays
  // without a permit where its month cannot be read.
  Task<> admit(Invocation& invocation);
  // Logs a run that was skipped. It is not counted.
  void logSkipped(Invocation invocation, std::string why);

 private:
  // The limit of the project's runs in a month; nullopt: the plan does not limit this run.
  std::optional<int64_t> maxRuns(const Invocation& invocation) const;
  // Whether the run is taken from its month: to meet the limit, or so that its job's commit can count it.
  bool isTaken(const Invocation& invocation) const;
  // `refused` is set once the project's suspension refuses a call.
  std::shared_ptr<workers::Bridge> bridgeOf(const Invocation& invocation, std::chrono::milliseconds timeout,
                                            ProjectHost::Refusal refused, std::shared_ptr<CallLog> calls) const;
  const FunctionRunnerDeps deps_;
};

// Whether the run counts in the month of its project, and meets the limit of the plan.
bool isMetered(const Invocation& invocation);
// The function of a run, in the log.
RunOf runOf(const snapshot::ProjectSnapshot& project, const Function& function);
// What the function's runs may call.
clone::BridgeKind bridgeKindOf(const Function& function);
// The time limit of the run.
std::chrono::milliseconds timeoutOf(const Invocation& invocation);
// `ctx`, without the fields that the worker adds. `table`: the project's variables.
doc::Document contextOf(const Invocation& invocation, const variables::VariableTable& table);
// ctx.auth: {kind, uid, role, pid, email?, token}; null without a caller.
void appendAuth(doc::BsonWriter& out, const policy::Caller* caller);
// Sets the status of a pre-hook's run that rejected the write to "aborted".
void noteAbort(RunView& run);
// The log entry of a run that has ended.
RunView viewOf(workers::RunOutcome outcome, std::string id, std::string trigger, Timestamp startedAt);

}  // namespace mb::functions
