// RunRetries repeats runs of the log by hand, with the function's code as it is now.
#pragma once

#include "audit/audit.h"
#include "functions/run.h"
#include "identity/project_access.h"

namespace mb::functions {

class RunRetries {
 public:
  // References outlive it.
  struct Deps {
    store::DocumentStore& store;
    snapshot::SlotKey<FunctionTable> slot;
    FunctionRunner& runner;
    RunLog& log;
    audit::Auditor& auditor;
  };
  explicit RunRetries(Deps deps) : deps_(deps) {}

  // Waits for the run, which is logged, metered and audited, whether the function is enabled or not. Fails with
  // notFound for an unknown function, with conflict for a run whose input the log does not hold (not a background run,
  // or no longer in the log), and with functionsBusy.
  Task<RunView> retry(identity::ProjectAccess access, std::string function, std::string run);

 private:
  const Deps deps_;
};

}  // namespace mb::functions
