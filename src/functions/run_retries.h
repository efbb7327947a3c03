// RunRetries repeats runs of the log by hand, with the function's code as it is now.
#pragma once

#include "audit/audit.h"
#include "functions/run.h"
#include "identity/project_access.h"

namespace mb::functions {

// References outlive it.
struct RunRetriesDeps {
  store::DocumentStore& store;
  snapshot::SlotKey<FunctionTable> slot;
  FunctionRunner& runner;
  RunLog& log;
  audit::Auditor& auditor;
};

class RunRetries {
 public:
  explicit RunRetries(RunRetriesDeps deps) : deps_(deps) {}

  // Waits for the run, which is logged, metered and audited, whether the function is enabled or not. Fails with
  // notFound for an unknown function, with conflict for a run whose input the log does not hold (not a background run,
  // or no longer in the log), with functionsBusy, and, without an audit entry, with planRunLimit.
  Task<RunView> retry(identity::ProjectAccess access, std::string function, std::string run);

 private:
  const RunRetriesDeps deps_;
};

}  // namespace mb::functions
