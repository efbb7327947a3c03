// The function runtime. Created once by app/ after Functions, and before the job queue and the dispatcher start.
#pragma once

#include "base/cores.h"
#include "base/id.h"
#include "base/task_group.h"
#include "functions/runner.h"
#include "plans/plans.h"
#include "variables/variables.h"

namespace mb::audit {
class Auditor;
}
namespace mb::data {
class Data;
}
namespace mb::events {
class Dispatcher;
}
namespace mb::identity {
class UserFollower;
}
namespace mb::integrations {
class Caller;
}
namespace mb::jobs {
class Queue;
}
namespace mb::storage {
class FileFollower;
class Files;
}  // namespace mb::storage

namespace mb::functions {

class RunLog;
class RunRetries;
class TestRuns;

// References outlive the module.
struct FunctionsRuntimeDeps {
  store::DocumentStore& store;
  snapshot::Snapshots& snapshots;
  snapshot::SlotKey<FunctionTable> slot;
  plans::PlanSlot plan;
  jobs::Queue& queue;
  events::Dispatcher& dispatcher;
  data::Data& data;
  workers::Executor& executor;
  integrations::Caller& integrations;
  const variables::Variables& variables;
  Cores& cores;
  IdGenerator& ids;
  const Clock& clock;
  audit::Auditor& auditor;
  std::string baseUrl;
  int workers = 1;  // the maximum number of workers
};

class FunctionsRuntime {
 public:
  // Adds the module's kind of job, its consumer, and its pre-hooks to the documents.
  explicit FunctionsRuntime(FunctionsRuntimeDeps deps);
  ~FunctionsRuntime();

  // Drops the test databases that a killed server left, then starts schedules and the log in `tasks`. Before the first
  // request. Fails with the store's error; nothing is started then.
  Task<> start(TaskGroup& tasks);
  // Starts no more runs. Runs that end later are logged by log().flush().
  void stop();

  Runner& runner();
  RunLog& log();
  RunRetries& retries();
  TestRuns& tests();
  identity::UserFollower& userFollower();
  storage::FileFollower& fileFollower();
  // The files of ctx.storage. Call it before the first run; without it ctx.storage does not exist.
  void setFiles(storage::Files& files);
  snapshot::SlotKey<FunctionTable> slot() const;

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace mb::functions
