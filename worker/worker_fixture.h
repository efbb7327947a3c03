// A worker process and the server's end of its socket, for tests: frames in and out, and values as text.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "clone/format.h"
#include "clone/frames.h"

namespace mb::worker {

// A value in the notation of JavaScript, roughly: {a: 1, b: [undefined, "x", 12n, Date(0), Bytes(00ff), Set(1), …]}.
std::string toText(std::string_view value);

struct Outcome {
  bool ended = false;  // the process, before it sent the end of the run
  bool done = false;
  std::string result;  // toText()
  clone::FailReason reason = clone::FailReason::threw;
  std::string message;
  std::string stack;
  std::vector<std::string> logs;   // "error: words"
  std::vector<std::string> calls;  // "db.find [\"a\"]"
  uint64_t cpu = 0;

  // "done 1", "threw words", "timed out", "out of memory", "never settles", "not cloneable words", "too large",
  // "not loadable words", "ended".
  std::string summary() const;
};

class TestWorker {
 public:
  // Starts `program`, from the folder of the test's own program.
  explicit TestWorker(const std::string& program = "manybase-worker", std::vector<std::string> words = {});
  ~TestWorker();
  TestWorker(const TestWorker&) = delete;
  TestWorker& operator=(const TestWorker&) = delete;

  struct Received {
    clone::FrameKind kind;
    std::string body;
  };
  // The fields of `ready`.
  std::string engine;
  std::string confinement;
  pid_t pid() const { return pid_; }

  void send(clone::FrameKind kind, const std::function<void(clone::Writer&)>& fill);
  void sendRaw(std::string_view bytes);
  // nullopt if the process has ended, or sends nothing for that long.
  std::optional<Received> next(std::chrono::milliseconds patience = std::chrono::seconds(30));
  // Waits for the end: the exit code, or minus the signal.
  int wait();
  void hangUp();

  using Values = std::function<void(clone::Writer&)>;
  // Handles a call, with or without a reply.
  using Host =
      std::function<void(TestWorker&, uint32_t call, const std::string& operation, const std::string& arguments)>;
  struct Program {
    std::string code = {};
    std::chrono::milliseconds timeout{5000};
    clone::BridgeKind bridge = clone::BridgeKind::full;
    std::optional<std::string> rawBody = {};  // with it the context has a request
    Values event = {};                        // unset: null
    Host host = {};                           // unset: replies to every call with null
    std::string map = {};
  };
  // Loads the code as a JS module of its own, and runs it.
  Outcome run(const Program& program);
  Outcome run(const std::string& code) { return run(Program{.code = code}); }
  // Runs a loaded JS module.
  Outcome runModule(const std::string& module, const Program& program);
  void load(const std::string& module, const std::string& code, const std::string& map = {});
  void reply(uint32_t call, const Values& value);
  void reject(uint32_t call, const std::string& code, const std::string& message);

  struct Checked {
    bool well = false;
    std::string code;
    std::string map;
    std::string problem;  // "3:14: words"
    clone::FailReason reason = clone::FailReason::threw;
  };
  Checked check(const std::string& source, bool typescript, bool runs = false);

 private:
  bool fill(std::chrono::steady_clock::time_point until);

  int socket_ = -1;
  pid_t pid_ = -1;
  bool waited_ = false;
  int status_ = 0;
  std::string received_;
  uint64_t runs_ = 0;
};

// The result of `body`, a function's body: toText(), or summary() unless it is done.
std::string evaluated(TestWorker& worker, const std::string& body);

}  // namespace mb::worker
