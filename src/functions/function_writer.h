// A FunctionWriter writes a definition with its version, its timetable row, the project's cursor and the audit entry in
// one commit. Private to functions.h.
#pragma once

#include <functional>

#include "audit/audit.h"
#include "data/data.h"
#include "events/dispatcher.h"
#include "functions/function_table.h"
#include "identity/project_access.h"
#include "variables/variables.h"

namespace mb::functions {

// References outlive the module.
struct FunctionDeps {
  store::DocumentStore& store;
  snapshot::Snapshots& snapshots;
  events::Dispatcher& dispatcher;
  data::Data& data;
  workers::Executor& executor;
  IdGenerator& ids;
  const Clock& clock;
  audit::Auditor& auditor;
  variables::Variables& variables;
};

// The caller, the project and the deadline.
using Access = identity::ProjectAccess;

// The id of a version's row: "<functionId>/<nn>".
std::string versionKey(const std::string& functionId, int64_t version);

Error noFunction();

// Any core.
class FunctionWriter {
 public:
  explicit FunctionWriter(const FunctionDeps& deps) : deps_(deps) {}

  // Inserts the record; sets its version, route, after and times. Fails with conflict for a taken name or route.
  Task<FunctionRecord> insert(Access access, FunctionRecord record);

  struct Edit {
    std::string action;  // of the audit entry
    // Changes the stored record; may be called several times. Must not block.
    std::function<Result<>(FunctionRecord&)> merge;
    bool isVersion = false;  // a new version even if code, trigger, timing and timeout are unchanged
  };
  // Fails with notFound, with the error of `merge`, or with conflict for a taken route or after too many concurrent
  // changes.
  Task<FunctionRecord> change(Access access, std::string name, Edit edit);

  Task<> remove(Access access, std::string name, std::string functionId);

 private:
  struct Step;

  // One attempt; fails with retry if the function was changed since it was read.
  Task<FunctionRecord> changeOnce(Access access, std::string name, Edit edit);
  // `before`: the stored document, nullopt for a new function. Fails with retry if another one is stored now.
  Task<FunctionRecord> write(Access access, std::optional<doc::Document> before, FunctionRecord after,
                             std::string action, bool isVersion);

  const FunctionDeps& deps_;
};

}  // namespace mb::functions
