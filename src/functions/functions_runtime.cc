#include "functions/functions_runtime.h"

namespace mb::functions {

FunctionsRuntime::FunctionsRuntime(FunctionsRuntimeDeps deps)
    : deps_(std::move(deps)),
      log_(deps_.store, deps_.cores),
      runner_({deps_.executor,
               deps_.data.serviceDocuments(),
               {deps_.snapshots, deps_.data.slot(), deps_.integrations},
               log_,
               deps_.ids,
               deps_.clock}),
      preHooks_({deps_.slot, runner_}),
      jobs_({deps_.snapshots, deps_.slot, deps_.queue, runner_, deps_.workers}),
      postJobs_({deps_.slot, deps_.queue, runner_}),
      authTrigger_({deps_.snapshots, deps_.slot, deps_.queue}),
      fileTrigger_({deps_.snapshots, deps_.slot, deps_.queue}),
      cron_({deps_.store, deps_.snapshots, deps_.queue, deps_.cores, deps_.clock}),
      tests_({deps_.executor,
              deps_.data.serviceDocuments(),
              {deps_.store, deps_.data.slot()},
              deps_.integrations,
              deps_.ids,
              deps_.clock,
              deps_.baseUrl}) {
  deps_.dispatcher.add(postJobs_);
  deps_.data.documents().setPreHook(preHooks_);
}

void FunctionsRuntime::start(TaskGroup& tasks) {
  log_.start(tasks);
  cron_.start(tasks);
}

void FunctionsRuntime::stop() {
  cron_.stop();
  log_.stop();
}

}  // namespace mb::functions
