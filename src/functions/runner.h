// One run of a function, whoever brings it about: context, bridge, limits, what is kept of it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "functions/function_table.h"
#include "policy/caller.h"

namespace mb::functions {

// How many runs stand above a write: a post run of a client's write is at 1, one that no write brought about at 0. Past
// kMaxDepth nothing runs.
inline constexpr int kMaxDepth = 5;

struct Invocation {
  snapshot::SnapshotPtr project = {};
  FunctionPtr function = {};
  std::string trigger = {};  // RunView::trigger
  doc::Document event = {};
  std::optional<policy::Caller> caller = {};  // ctx.auth
  std::optional<doc::Document> request = {};  // ctx.request
  int depth = 0;
  bool bridge = true;  // ctx.db and ctx.integrations
  bool logged = true;  // in the run log, the statistics and the meter
  workers::RunClass runClass = workers::RunClass::normal;
  std::optional<std::chrono::milliseconds> timeout = {};  // below the function's own
};

struct FinishedRun {
  RunView view;
  workers::RunStatus status = workers::RunStatus::error;
  bool stopped = false;  // the server ended it by stopping: to be run again after its start
  bool killed = false;   // its worker was killed from outside: to be run again, a few times
  // A call of it was refused since its project was suspended: to be run again after the resume.
  bool suspended = false;
};

class Runner {
 public:
  virtual ~Runner() = default;
  // Any core. A busy pool is a status, not an error; the run is then neither logged nor counted.
  virtual Async<FinishedRun> run(Invocation invocation) = 0;
};

}  // namespace mb::functions
