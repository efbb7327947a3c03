// How a definition comes into the store: with its version, its place in the timetable, the project's cursor and the
// audit entry in one commit. Private to functions.h.
#pragma once

#include <functional>

#include "audit/audit.h"
#include "data/data.h"
#include "events/dispatcher.h"
#include "functions/function_table.h"
#include "identity/project_access.h"

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
};

// Who does it, in which project, and until when.
using Access = identity::ProjectAccess;

// Where a version stands: "<functionId>/<nn>".
std::string versionKey(const std::string& functionId, int64_t version);

Error noFunction();

// Any core.
class FunctionWriter {
 public:
  explicit FunctionWriter(const FunctionDeps& deps) : deps_(deps) {}

  // As a whole, but for version, route, after and times. Fails with conflict for a taken name or route.
  Task<FunctionRecord> insert(Access access, FunctionRecord record);

  struct Edit {
    std::string action;  // of the audit entry
    // Changes the record as it is stored, maybe more than once. Must not wait.
    std::function<Result<>(FunctionRecord&)> merge;
    bool isVersion = false;  // also where neither code, trigger, timing nor timeout is another
  };
  // Fails with notFound; what `merge` fails with; conflict for a taken route, or where others change it all the time.
  Task<FunctionRecord> change(Access access, std::string name, Edit edit);

  Task<> remove(Access access, std::string name, std::string functionId);

 private:
  struct Step;

  // One attempt; fails with retry where the function was changed since it was read.
  Task<FunctionRecord> changeOnce(Access access, std::string name, Edit edit);
  // `before` as it is stored, nothing for a new one. Fails with retry where something else is stored now.
  Task<FunctionRecord> write(Access access, std::optional<doc::Document> before, FunctionRecord after,
                             std::string action, bool isVersion);

  const FunctionDeps& deps_;
};

}  // namespace mb::functions
