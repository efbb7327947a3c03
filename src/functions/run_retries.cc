#include "functions/run_retries.h"

#include <algorithm>

#include "functions/function_writer.h"
#include "functions/pre_hooks.h"
#include "identity/records.h"

namespace mb::functions {

namespace {

// The audit entry, alone in its write: no configuration changes, so no epoch is bumped.
store::Write auditedRetry(audit::Auditor& auditor, const identity::ProjectAccess& access, const std::string& function,
                          const std::string& run) {
  const policy::Caller& by = access.caller;
  doc::BsonWriter details;
  details.appendString("run", run);
  store::Write write({.deadline = access.deadline, .actor = policy::actorOf(by), .bumpEpochs = {}});
  write.insert(auditor.entry(access.project->info().number, "function.runRetried", identity::auditActorOf(by),
                             "functions/" + function, by.ip, by.requestId, details.finish()));
  return write;
}

}  // namespace

Task<RunView> RunRetries::retry(identity::ProjectAccess access, std::string function, std::string run) {
  Invocation invocation;
  invocation.project = access.project;
  invocation.function = access.project->get(deps_.slot).find(function);
  if (!invocation.function) co_return fail(noFunction());
  CO_TRY(std::optional<RunLog::Logged> logged,
         co_await deps_.log.find(runOf(*access.project, *invocation.function), run));
  if (!logged) co_return fail(ErrorCode::conflict, "the log of the function does not hold this run, or not any more");
  if (!logged->input) {
    co_return fail(ErrorCode::conflict, "this run cannot be retried: the log does not hold its event");
  }
  CO_RETURN_IF_ERROR(co_await deps_.runner.admit(invocation));
  if (deps_.auditor.enabled()) {
    CO_RETURN_IF_ERROR(co_await deps_.store.write(auditedRetry(deps_.auditor, access, function, run), nullptr));
  }
  invocation.trigger = std::move(logged->run.trigger);
  invocation.event = std::move(logged->input->event);
  // A run that was skipped as too deep runs, and triggers nothing further.
  invocation.depth = static_cast<int>(std::min<int64_t>(logged->input->depth, kMaxDepth));
  invocation.trace = access.caller.trace;
  invocation.repeatable = true;
  invocation.attempt = logged->run.attempt.value_or(1) + 1;
  invocation.retryOf = std::move(run);
  CO_TRY(FinishedRun finished, co_await deps_.runner.run(std::move(invocation)));
  if (finished.status == workers::RunStatus::busy) co_return fail(functionsBusy());
  co_return std::move(finished.view);
}

}  // namespace mb::functions
