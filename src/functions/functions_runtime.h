// The function runtime. Created once by app/ after Functions, and before the job queue and the dispatcher start.
#pragma once

#include "events/dispatcher.h"
#include "functions/auth_trigger.h"
#include "functions/cron.h"
#include "functions/file_trigger.h"
#include "functions/post_jobs.h"
#include "functions/pre_hooks.h"
#include "functions/run_jobs.h"
#include "functions/tests_run.h"

namespace mb::functions {

// References outlive the module.
struct FunctionsRuntimeDeps {
  store::DocumentStore& store;
  snapshot::Snapshots& snapshots;
  snapshot::SlotKey<FunctionTable> slot;
  jobs::Queue& queue;
  events::Dispatcher& dispatcher;
  data::Data& data;
  workers::Executor& executor;
  integrations::Caller& integrations;
  Cores& cores;
  IdGenerator& ids;
  const Clock& clock;
  std::string baseUrl;
  int workers = 1;  // the maximum number of workers
};

class FunctionsRuntime {
 public:
  // Adds the module's kind of job, its consumer, and its pre-hooks to the documents.
  explicit FunctionsRuntime(FunctionsRuntimeDeps deps);

  // Drops the test databases that a killed server left. Before start().
  Task<> open() { return Scratch::sweep(deps_.store); }
  void start(TaskGroup& tasks);
  // Starts no more runs.
  void stop();

  Runner& runner() { return runner_; }
  RunLog& log() { return log_; }
  TestRuns& tests() { return tests_; }
  identity::UserFollower& userFollower() { return authTrigger_; }
  storage::FileFollower& fileFollower() { return fileTrigger_; }
  snapshot::SlotKey<FunctionTable> slot() const { return deps_.slot; }

 private:
  const FunctionsRuntimeDeps deps_;
  RunLog log_;
  FunctionRunner runner_;
  PreHooks preHooks_;
  RunJobs jobs_;
  PostJobs postJobs_;
  AuthTrigger authTrigger_;
  FileTrigger fileTrigger_;
  Cron cron_;
  TestRuns tests_;
};

}  // namespace mb::functions
