// One run of a function, from the event to its entry in the log. Source: contract 2.11, 8; decisions 5.
#pragma once

#include "data/service_documents.h"
#include "functions/bridge.h"
#include "functions/run_log.h"
#include "functions/runner.h"

namespace mb::functions {

class FunctionRunner final : public Runner {
 public:
  // References outlive the runner.
  struct Deps {
    workers::Executor& executor;
    data::ServiceDocuments& documents;
    ProjectHost::Deps host;
    RunLog& log;
    IdGenerator& ids;
    const Clock& clock;
  };
  explicit FunctionRunner(Deps deps) : deps_(deps) {}

  Async<FinishedRun> run(Invocation invocation) override;
  // The entry of a run that was not to be, counted nowhere.
  void logSkipped(const snapshot::ProjectSnapshot& project, const Function& function, std::string trigger,
                  std::string why);

 private:
  // `refused` is set once the project's suspension refuses a call.
  std::shared_ptr<workers::Bridge> bridgeOf(const Invocation& invocation, std::chrono::milliseconds timeout,
                                            ProjectHost::Refusal refused) const;
  const Deps deps_;
};

// How long it may take.
std::chrono::milliseconds timeoutOf(const Invocation& invocation);
// `ctx`, but for what the worker adds.
doc::Document contextOf(const Invocation& invocation);
// ctx.auth: {kind, uid, role, pid, email?, token}; null for nobody.
void appendAuth(doc::BsonWriter& out, const policy::Caller* caller);
// Of a pre-hook's run: one that turned the write down is "aborted".
void noteAbort(RunView& run);
// What the log says of a run that has ended.
RunView viewOf(workers::RunOutcome outcome, std::string id, std::string trigger, Timestamp startedAt);

}  // namespace mb::functions
