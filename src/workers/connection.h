// A WorkerConnection is the server's end of a worker's socket. It sends runs and checks, and validates all frames of
// the worker, which are untrusted. It belongs to one core; members run there only, unless marked otherwise. Private to
// workers/.
//
//   starting -> idle -> busy -> idle -> … -> dead
//
// A frame that the state does not allow, or that breaks a bound of clone/frames.h or limits.h, is a breach: the process
// is killed, and its run ends with an error. A run's end frees the worker once the calls that the run left open have
// ended.
#pragma once

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <deque>
#include <memory>

#include "workers/frame_reader.h"
#include "workers/limits.h"
#include "workers/process.h"
#include "workers/worker_handle.h"

namespace mb::workers {

// The owner of a connection. Called on the connection's core.
class ConnectionOwner {
 public:
  // `crashed`: whether another process killed it is only known once it is reaped.
  enum class ExitCause { crashed, breached, timedOut, stopped };

  virtual ~ConnectionOwner() = default;
  virtual void onReady(const WorkerHandlePtr& handle, std::string_view engine, std::string_view confinement) = 0;
  // The worker has no run and no open calls; `fit`: it may run another job. May call begin() at once.
  virtual void onFreed(const WorkerHandlePtr& handle, bool fit) = 0;
  // The socket is closed; the owner must kill the process if it lives. `breach`: the rule that the worker broke, or "".
  virtual ExitCause onDead(const WorkerHandlePtr& handle, std::string_view breach, std::string_view lastWords) = 0;
  // A dead connection has no open calls any more.
  virtual void onDrained(const WorkerHandlePtr& handle) = 0;
  // Runs `work` on a thread that does not belong to a core.
  virtual void offload(std::move_only_function<void()> work) = 0;
  // The connection was dead before the job could begin.
  virtual void onUnbegun(JobPtr job) = 0;
};

class WorkerConnection : public std::enable_shared_from_this<WorkerConnection> {
 public:
  // `process` without its pid, which belongs to `handle`.
  WorkerConnection(mb::Executor home, Process process, WorkerHandlePtr handle, std::shared_ptr<ConnectionOwner> owner,
                   const Clock& clock);

  // Any thread.
  void start();
  // Closes the socket, which ends the process. Any thread.
  void end();
  // REQUIRES: it is idle or dead.
  void begin(JobPtr job);
  // Its process was reaped; `killed`: it ended by a SIGKILL. Any thread.
  void reaped(bool killed);

 private:
  using Socket = asio::basic_stream_socket<asio::local::stream_protocol, mb::Executor>;
  enum class State { starting, idle, busy, dead };

  // ---- connection.cc: bytes
  void read();
  void onRead(const boost::system::error_code& error, size_t count);
  void takeFrames();
  void resumeReading();
  void send(std::string_view bytes);
  // The number of bytes sent; nullopt when the other end is closed.
  std::optional<size_t> sendSome(std::string_view bytes);
  void awaitWritable();
  void onWritable();
  void breach(std::string_view why) { die(why); }
  void die(std::string_view breach);
  size_t unsent() const { return out_.size() - outAt_; }

  // A decoded value. An error in `value` is the function's unless the bytes were malformed.
  template <class T>
  struct Decoded {
    Result<T> value;
    bool wellFormed = false;
  };
  // Calls `then` on this core with the result of `decode`: at once, or, for large `bytes`, after decoding on another
  // thread. No other frame of the worker is read until then.
  template <class T, class Then>
  void decoded(std::string_view bytes, Decoded<T> (*decode)(std::string_view), Then then);

  // ---- connection_frames.cc: its frames
  void take(const Frame& frame);
  void takeReady(std::string_view body);
  void takeLog(std::string_view body);
  void takeDone(std::string_view body);
  static Decoded<doc::Value> decodeResult(std::string_view bytes);
  void endWith(Decoded<doc::Value> result, std::chrono::microseconds cpu);
  void takeFailed(std::string_view body);
  void takeChecked(std::string_view body);
  void takeRefused(std::string_view body);
  bool runs() const { return state_ == State::busy && job_->module; }
  bool checks() const { return state_ == State::busy && !job_->module; }
  JobEnd endFor(ConnectionOwner::ExitCause death) const;
  void endWithProcess(JobEnd end);
  void finish(JobEnd end, bool fit = true);

  // ---- connection_calls.cc: its calls to the host
  void takeCall(std::string_view body);
  static Decoded<doc::Document> decodeArguments(std::string_view bytes);
  void startCall(uint32_t call, std::string operation, size_t size, Decoded<doc::Document> arguments);
  static Async<void> runCall(std::shared_ptr<WorkerConnection> self, JobPtr job, uint64_t run, uint32_t call,
                             std::string operation, doc::Document arguments);
  void reply(uint64_t run, uint32_t call, Result<doc::Value> result);
  void callEnded();

  // Appends the frames by which the worker loads the module, and unloads another one where it has too many.
  void appendModule(std::string& out, const Module& module);

  const mb::Executor home_;
  const WorkerHandlePtr handle_;
  const std::shared_ptr<ConnectionOwner> owner_;
  const Clock& clock_;
  Socket socket_;
  Descriptor errors_;
  FrameReader in_;
  std::string out_;  // from outAt_ on
  size_t outAt_ = 0;
  State state_ = State::starting;
  bool decoding_ = false;            // on another thread
  std::deque<std::string> modules_;  // loaded in the worker, last used first

  // The run.
  JobPtr job_;
  uint64_t run_ = 0;
  Time began_{};
  std::vector<LogLine> logs_;
  uint32_t calls_ = 0;  // so far
  uint32_t lastCall_ = 0;
  size_t bridgeBytes_ = 0;
  size_t open_ = 0;  // calls, also of the run before
  bool fit_ = true;
  std::string lastWords_;  // the standard error of a dead process
};

template <class T, class Then>
void WorkerConnection::decoded(std::string_view bytes, Decoded<T> (*decode)(std::string_view), Then then) {
  if (bytes.size() <= kMaxOnCore) return then(*this, decode(bytes));
  decoding_ = true;
  owner_->offload([self = shared_from_this(), bytes = std::string(bytes), decode, then = std::move(then)]() mutable {
    Decoded<T> result = decode(bytes);
    asio::post(self->home_, [self, result = std::move(result), then = std::move(then)]() mutable {
      self->decoding_ = false;
      if (self->state_ == State::dead) return;
      then(*self, std::move(result));
      self->resumeReading();
    });
  });
}

}  // namespace mb::workers
