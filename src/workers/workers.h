// Workers run the code of functions in worker processes. The only module that starts processes. All data from a worker
// is untrusted and validated. Scheduling: docs/engine.md, "Function workers".
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/cores.h"
#include "base/settings.h"
#include "base/task.h"
#include "clone/frames.h"
#include "document/bson.h"
#include "store/store.h"

namespace mb::workers {

struct WorkerSettings {
  explicit WorkerSettings(Settings& settings);
  WorkerSettings() = default;

  int max = 0;       // SERVICE_WORKERS; 0: four per core
  bool jit = false;  // SERVICE_FUNCTIONS_JIT
};

// A JS module. Its id is never reused for other code: a worker keeps the module loaded under it.
struct Module {
  std::string id;      // "<function's own id>@<version>"
  std::string source;  // JavaScript, an ES module
  std::string map;     // source map to the code as it was written, or ""
};
using ModulePtr = std::shared_ptr<const Module>;

// A Bridge executes the calls of a run to its host. Called on the core that called run(); several calls may be open at
// a time. An error rejects the call's promise with its code and message, so neither may hold data that the project must
// not see.
class Bridge {
 public:
  virtual ~Bridge() = default;
  // `operation` as the worker sent it, not validated. `arguments`: the keys "0", "1", ….
  virtual Task<doc::Value> call(std::string operation, doc::Document arguments) = 0;
  // Which calls the run may make; the same at each call. Any core.
  virtual clone::BridgeKind kind() const { return clone::BridgeKind::full; }
  // Called once, on the core that called run(), if the run ends while calls are open. Their results are discarded, and
  // the worker takes no other run before they have ended, so the bridge may abort them.
  virtual void settled() {}
};

enum class RunClass {
  normal,   // waits at most a second for a worker
  preHook,  // one worker is reserved for pre-hooks; waits for a worker until its timeout
};

struct RunRequest {
  store::ProjectNo project = 0;
  ModulePtr module;
  doc::Document event;
  // Becomes `ctx`, to which the worker adds the functions of the bridge.
  doc::Document context;
  std::optional<std::string> rawBody = {};    // added to `ctx.request`, which `context` must have then
  std::chrono::milliseconds timeout{10'000};  // from the moment a worker begins the run
  RunClass runClass = RunClass::normal;
  std::shared_ptr<Bridge> bridge;  // null: the run has none
};

enum class RunStatus {
  success,
  error,  // the function threw, or its worker died
  timeout,
  busy,  // not begun: no worker was free in time, or the queue is full
};

struct LogLine {
  clone::LogLevel level = clone::LogLevel::log;
  std::string message;
  Timestamp at;
};

struct RunOutcome {
  RunStatus status = RunStatus::error;
  doc::Value result;          // null if undefined or absent
  bool stopped = false;       // stop() ended it (error only): another process may run it
  bool killed = false;        // another process killed its worker (error only): the run may be repeated, too
  bool endedWorker = false;   // its worker ended, or must end as it is out of memory (error only)
  std::string error;          // message for the project's users
  std::string stack;          // lines and columns of the code as it was written
  std::vector<LogLine> logs;  // empty after a timeout
  std::chrono::microseconds wall{0};
  std::chrono::microseconds cpu{0};
};

// Code that was checked, in the form that runs.
struct CheckedCode {
  std::string code;
  std::string map;
};

struct WorkerDeps {
  Cores& cores;
  const Clock& clock;
  WorkerSettings settings;
  std::filesystem::path program;  // manybase-worker
};

// The interface for running and checking code. Any core.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual Async<RunOutcome> run(RunRequest request) = 0;
  // Checks the syntax, and that the code has a default export; strips types if `typescript`. Fails with validation,
  // with line and column in the message ("3:14: Unexpected token"), or with unavailable. A process checks code of one
  // project only.
  virtual Task<CheckedCode> check(store::ProjectNo project, std::string source, bool typescript) = 0;
};

// Implements Executor with two pools of worker processes, one for runs and one for checks. Any core.
class Workers final : public Executor {
 public:
  explicit Workers(WorkerDeps deps);
  ~Workers() override;  // stop()

  // Starts the blank workers, without waiting for them. If the program cannot be started, that is logged and retried,
  // and until it can every run ends with `busy`.
  void start();
  Async<RunOutcome> run(RunRequest request) override;
  Task<CheckedCode> check(store::ProjectNo project, std::string source, bool typescript) override;
  // Ends runs with an error, kills and reaps every worker. Blocks briefly; not from a core.
  void stop();

  struct Stats {
    size_t alive = 0;
    size_t blank = 0;
    size_t running = 0;
    size_t waiting = 0;
    uint64_t started = 0;
    uint64_t killed = 0;
    std::string confinement;  // as reported by the last worker
    std::string scheduling;   // of long runs, as wordsFor() of priority.h; set once a worker has started
  };
  Stats stats() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mb::workers
