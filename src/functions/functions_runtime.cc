#include "functions/functions_runtime.h"

#include "events/dispatcher.h"
#include "functions/auth_trigger.h"
#include "functions/cron.h"
#include "functions/file_trigger.h"
#include "functions/post_jobs.h"
#include "functions/pre_hooks.h"
#include "functions/run_jobs.h"
#include "functions/run_retries.h"
#include "functions/tests_run.h"

namespace mb::functions {

struct FunctionsRuntime::Impl {
  explicit Impl(FunctionsRuntimeDeps given)
      : deps(std::move(given)),
        log(deps.store, deps.cores),
        runner({deps.executor,
                deps.data.serviceDocuments(),
                {deps.snapshots, deps.data.slot(), deps.integrations, files},
                deps.variables,
                deps.plan,
                log,
                deps.ids,
                deps.clock}),
        retries({deps.store, deps.slot, runner, log, deps.auditor}),
        preHooks({deps.slot, runner}),
        jobs({deps.snapshots, deps.slot, deps.queue, runner, log, deps.clock, deps.workers}),
        postJobs({deps.slot, deps.queue, runner}),
        authTrigger({deps.snapshots, deps.slot, deps.queue}),
        fileTrigger({deps.snapshots, deps.slot, deps.queue}),
        cron({deps.store, deps.snapshots, deps.queue, deps.cores, deps.clock}),
        tests({deps.executor,
               deps.data.serviceDocuments(),
               {deps.store, deps.data.slot()},
               deps.integrations,
               deps.variables,
               deps.ids,
               deps.clock,
               deps.baseUrl}) {
    deps.dispatcher.add(postJobs);
    deps.data.documents().setPreHook(preHooks);
  }

  const FunctionsRuntimeDeps deps;
  storage::Files* files = nullptr;
  RunLog log;
  FunctionRunner runner;
  RunRetries retries;
  PreHooks preHooks;
  RunJobs jobs;
  PostJobs postJobs;
  AuthTrigger authTrigger;
  FileTrigger fileTrigger;
  Cron cron;
  TestRuns tests;
};

FunctionsRuntime::FunctionsRuntime(FunctionsRuntimeDeps deps) : impl_(std::make_unique<Impl>(std::move(deps))) {}

FunctionsRuntime::~FunctionsRuntime() = default;

Task<> FunctionsRuntime::start(TaskGroup& tasks) {
  CO_RETURN_IF_ERROR(co_await Scratch::sweep(impl_->deps.store));
  impl_->log.start(tasks);
  impl_->cron.start(tasks);
  co_return Result<>();
}

void FunctionsRuntime::stop() {
  impl_->cron.stop();
  impl_->log.stop();
}

Runner& FunctionsRuntime::runner() {
  return impl_->runner;
}

RunLog& FunctionsRuntime::log() {
  return impl_->log;
}

RunRetries& FunctionsRuntime::retries() {
  return impl_->retries;
}

TestRuns& FunctionsRuntime::tests() {
  return impl_->tests;
}

identity::UserFollower& FunctionsRuntime::userFollower() {
  return impl_->authTrigger;
}

storage::FileFollower& FunctionsRuntime::fileFollower() {
  return impl_->fileTrigger;
}

void FunctionsRuntime::setFiles(storage::Files& files) {
  impl_->files = &files;
}

snapshot::SlotKey<FunctionTable> FunctionsRuntime::slot() const {
  return impl_->deps.slot;
}

}  // namespace mb::functions
