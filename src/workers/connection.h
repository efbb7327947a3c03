// A worker process from our side of its socket: what it is told, and what it says, of which nothing is believed. It
// belongs to one core; what is not marked otherwise runs there only. Private to workers/.
//
//   starting -> idle -> busy -> idle -> … -> dead
//
// A frame that has no place in the state, or breaks a bound of clone/frames.h or limits.h, is a breach: the process is
// killed, and its run ends with an error. A run's end frees the worker once the calls that the run left open have
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

// Whose worker it is. Called on the link's core.
class ConnectionOwner {
 public:
  // `crashed`: only its reaping tells whether something else killed it.
  enum class ExitCause { crashed, breached, timedOut, stopped };

  virtual ~ConnectionOwner() = default;
  virtual void onReady(const WorkerHandlePtr& handle, std::string_view engine, std::string_view confinement) = 0;
  // It may run something else; `fit`: it may at all. May begin something at once.
  virtual void onFreed(const WorkerHandlePtr& handle, bool fit) = 0;
  // The socket is closed; the process is to be killed where it lives. `breach`: why it was, or "".
  virtual ExitCause onDead(const WorkerHandlePtr& handle, std::string_view breach, std::string_view lastWords) = 0;
  // Nothing of a dead one is open any more.
  virtual void onDrained(const WorkerHandlePtr& handle) = 0;
  // Has it done on a thread that is no core's.
  virtual void aside(std::move_only_function<void()> work) = 0;
  // It was dead before it could begin.
  virtual void onUnbegun(JobPtr job) = 0;
};

class WorkerConnection : public std::enable_shared_from_this<WorkerConnection> {
 public:
  // `process` without its pid, which is the seat's.
  WorkerConnection(mb::Executor home, Process process, WorkerHandlePtr handle, std::shared_ptr<ConnectionOwner> owner,
                   const Clock& clock);

  // Any thread.
  void start();
  // Closes the socket, and so ends it. Any thread.
  void end();
  // Only while it is idle, or dead.
  void begin(JobPtr job);
  // Its process is gone, `killed` by a SIGKILL or otherwise. Any thread.
  void reaped(bool killed);

 private:
  using Socket = asio::basic_stream_socket<asio::local::stream_protocol, mb::Executor>;
  enum class State { starting, idle, busy, dead };

  // ---- connection.cc: bytes
  void read();
  void onRead(const boost::system::error_code& error, size_t count);
  void takeFrames();
  void goOn();
  void send(std::string_view bytes);
  // How many were taken; nullopt when the other end is gone.
  std::optional<size_t> sendSome(std::string_view bytes);
  void awaitWritable();
  void onWritable();
  void breach(std::string_view why) { die(why); }
  void die(std::string_view breach);
  size_t unsent() const { return out_.size() - outAt_; }

  // What bytes become, and whether they were well-formed.
  template <class T>
  struct Decoded {
    Result<T> value;
    bool wellFormed = false;
  };
  // Calls `then` on this core with what `decode` makes of `bytes`: at once, or once that was done aside, and then
  // nothing else of the worker is looked at before.
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
  static Async<void> answerCall(std::shared_ptr<WorkerConnection> self, JobPtr job, uint64_t run, uint32_t call,
                                std::string operation, doc::Document arguments);
  void answer(uint64_t run, uint32_t call, Result<doc::Value> result);
  void callEnded();

  void tellModule(std::string& out, const Module& module);

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
  bool decoding_ = false;            // aside
  std::deque<std::string> modules_;  // that it keeps, last used first

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
  std::string lastWords_;  // of a dead one
};

template <class T, class Then>
void WorkerConnection::decoded(std::string_view bytes, Decoded<T> (*decode)(std::string_view), Then then) {
  if (bytes.size() <= kMaxOnCore) return then(*this, decode(bytes));
  decoding_ = true;
  owner_->aside([self = shared_from_this(), bytes = std::string(bytes), decode, then = std::move(then)]() mutable {
    Decoded<T> made = decode(bytes);
    asio::post(self->home_, [self, made = std::move(made), then = std::move(then)]() mutable {
      self->decoding_ = false;
      if (self->state_ == State::dead) return;
      then(*self, std::move(made));
      self->goOn();
    });
  });
}

}  // namespace mb::workers
