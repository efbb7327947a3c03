// The worker processes, from the server's side: who runs where and when, and what a run may use. The only module that
// starts processes. Nothing that a worker says is believed. Source: docs/functions.md, docs/engine.md 7.
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

  int max = 0;       // SERVICE_WORKERS; 0: four a core
  bool jit = false;  // SERVICE_FUNCTIONS_JIT
};

// Code that can run. The id is never used again for other code: a worker keeps a module warm under it.
struct Module {
  std::string id;      // "<function's own id>@<version>"
  std::string source;  // JavaScript, an ES module
  std::string map;     // source map of what was written, or ""
};
using ModulePtr = std::shared_ptr<const Module>;

// Answers what a run asks of its host. Called on the core that called run(); several calls may be open at a time. A
// failure rejects the call's promise with the error's code and message, so that neither may hold what is not the
// project's business.
class Bridge {
 public:
  virtual ~Bridge() = default;
  // `operation` as the worker sent it: anything at all. `arguments`: the keys "0", "1", ….
  virtual Task<doc::Value> call(std::string operation, doc::Document arguments) = 0;
  // Told once where the run has ended while calls of it are open, on the core that called run(). What they answer goes
  // nowhere, and their worker takes no other run before they have ended: they may be cut short.
  virtual void settled() {}
};

enum class RunClass {
  normal,   // waits at most a second for a worker
  preHook,  // has a worker that is kept for its like, and waits as long as its timeout lasts
};

struct RunRequest {
  store::ProjectNo project = 0;
  ModulePtr module;
  doc::Document event;
  doc::Document context;  // becomes `ctx`, with `db` and `integrations` added by the worker where `bridge` is there
  std::chrono::milliseconds timeout{10'000};  // from the moment a worker begins
  RunClass runClass = RunClass::normal;
  std::shared_ptr<Bridge> bridge;  // null: the run has none
};

enum class RunStatus {
  success,
  error,  // it threw, or the worker died under it
  timeout,
  busy,  // never begun: no worker was free in time, or the queue is full
};

struct LogLine {
  clone::LogLevel level = clone::LogLevel::log;
  std::string message;
  Timestamp at;
};

struct RunOutcome {
  RunStatus status = RunStatus::error;
  doc::Value result;          // null where there is none; an undefined one is null
  bool stopped = false;       // stop() ended it (error only): another process may run it
  bool killed = false;        // something else killed its worker (error only), not what it ran: so may another
  std::string error;          // message, for the project's own eyes
  std::string stack;          // lines and columns of what was written
  std::vector<LogLine> logs;  // empty after a timeout
  std::chrono::microseconds wall{0};
  std::chrono::microseconds cpu{0};
};

// What was written, checked and made ready to run.
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

// What those who have code to run see of the workers. Any core.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual Async<RunOutcome> run(RunRequest request) = 0;
  // Syntax, and that there is a default export; types are stripped where `typescript`. Fails with validation, the
  // message holding line and column ("3:14: Unexpected token"), or unavailable. Code of two projects never meets in one
  // process, here neither.
  virtual Task<CheckedCode> check(store::ProjectNo project, std::string source, bool typescript) = 0;
};

// How many workers there are, and who gets one: docs/engine.md 7. Any core.
class Workers final : public Executor {
 public:
  explicit Workers(WorkerDeps deps);
  ~Workers() override;  // stop()

  // Starts the blank workers, without waiting for them. A program that cannot be started is logged, and every run is
  // busy until it can.
  void start();
  Async<RunOutcome> run(RunRequest request) override;
  Task<CheckedCode> check(store::ProjectNo project, std::string source, bool typescript) override;
  // Ends runs with an error, kills and reaps every worker. Blocks a little; not from a core.
  void stop();

  struct Stats {
    size_t alive = 0;
    size_t blank = 0;
    size_t running = 0;
    size_t waiting = 0;
    uint64_t started = 0;
    uint64_t killed = 0;
    std::string confinement;  // what the last worker said is in force
    std::string scheduling;   // of runs that take long, once a worker has started: as priority.h says it
  };
  Stats stats() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mb::workers
