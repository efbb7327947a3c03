#include "workers/connection.h"

#include <sys/socket.h>

#include "workers/limits.h"
#include "workers/outgoing.h"

namespace mb::workers {

WorkerConnection::WorkerConnection(mb::Executor home, Process process, WorkerHandlePtr handle,
                                   std::shared_ptr<ConnectionOwner> owner, const Clock& clock)
    : home_(home),
      handle_(std::move(handle)),
      owner_(std::move(owner)),
      clock_(clock),
      socket_(home, asio::local::stream_protocol(), process.socket.release()),
      errors_(std::move(process.errors)) {}

void WorkerConnection::start() {
  asio::post(home_, [self = shared_from_this()] {
    if (self->state_ != State::dead) self->read();
  });
}

void WorkerConnection::end() {
  asio::post(home_, [self = shared_from_this()] { self->die(""); });
}

void WorkerConnection::begin(JobPtr job) {
  if (state_ == State::dead) return owner_->onUnbegun(std::move(job));
  job_ = std::move(job);
  state_ = State::busy;
  began_ = std::chrono::steady_clock::now();
  calls_ = lastCall_ = 0;
  bridgeBytes_ = 0;
  number(*job_, ++run_);
  std::string modules;
  if (job_->module) appendModule(modules, *job_->module);
  if (!modules.empty()) send(modules);
  if (state_ == State::busy) send(job_->frame);
  if (job_) job_->frame = std::string();
}

void WorkerConnection::appendModule(std::string& out, const Module& module) {
  const auto known = std::ranges::find(modules_, module.id);
  if (known == modules_.begin() && known != modules_.end()) return;
  if (known != modules_.end()) {
    modules_.erase(known);
  } else {
    if (modules_.size() >= kMaxModules) {
      appendUnload(out, modules_.back());
      modules_.pop_back();
    }
    appendLoad(out, module);
  }
  modules_.push_front(module.id);
}

// ---- bytes in

void WorkerConnection::read() {
  const std::span<char> space = in_.space();
  socket_.async_read_some(asio::buffer(space.data(), space.size()),
                          [self = shared_from_this()](const boost::system::error_code& error, size_t count) {
                            self->onRead(error, count);
                          });
}

void WorkerConnection::onRead(const boost::system::error_code& error, size_t count) {
  if (state_ == State::dead) return;
  if (error) return die("");
  in_.filled(count);
  resumeReading();
}

void WorkerConnection::resumeReading() {
  takeFrames();
  if (state_ != State::dead && !decoding_) read();
}

void WorkerConnection::takeFrames() {
  while (state_ != State::dead && !decoding_) {
    const auto frame = in_.next();
    if (!frame && in_.refused()) return breach("frame of an unknown kind, or too large");
    if (!frame) return;
    take(*frame);
  }
}

// ---- bytes out

void WorkerConnection::send(std::string_view bytes) {
  const bool waits = unsent() > 0;
  if (!waits) {
    const auto sent = sendSome(bytes);
    if (!sent) return die("");
    bytes.remove_prefix(*sent);
    if (bytes.empty()) return;
    out_.clear();
    outAt_ = 0;
  }
  if (unsent() + bytes.size() > kMaxUnsent) return breach("too many unread bytes");
  out_.append(bytes);
  if (!waits) awaitWritable();
}

std::optional<size_t> WorkerConnection::sendSome(std::string_view bytes) {
  const ssize_t sent = ::send(socket_.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent >= 0) return static_cast<size_t>(sent);
  if (errno == EAGAIN || errno == EINTR) return 0;
  return std::nullopt;
}

void WorkerConnection::awaitWritable() {
  socket_.async_wait(Socket::wait_write, [self = shared_from_this()](const boost::system::error_code& error) {
    if (!error) self->onWritable();
  });
}

void WorkerConnection::onWritable() {
  if (state_ == State::dead) return;
  const auto sent = sendSome(std::string_view(out_).substr(outAt_));
  if (!sent) return die("");
  outAt_ += *sent;
  if (unsent() > 0) {
    awaitWritable();
  } else {
    out_ = std::string();
    outAt_ = 0;
  }
}

// ---- the end

void WorkerConnection::die(std::string_view breach) {
  if (state_ == State::dead) return;
  state_ = State::dead;
  boost::system::error_code ignored;
  socket_.close(ignored);
  lastWords_ = readErrors(errors_.get());
  const ConnectionOwner::ExitCause death = owner_->onDead(handle_, breach, lastWords_);
  if (job_ && death == ConnectionOwner::ExitCause::crashed) return;  // until reaped()
  endWithProcess(endFor(death));
}

void WorkerConnection::endWithProcess(JobEnd end) {
  if (job_) finish(std::move(end), false);
  if (open_ == 0) owner_->onDrained(handle_);
}

void WorkerConnection::reaped(bool killed) {
  asio::post(home_, [self = shared_from_this(), killed] {
    if (self->state_ != State::dead || !self->job_) return;
    JobEnd end = self->endFor(ConnectionOwner::ExitCause::crashed);
    end.killed = killed;
    self->endWithProcess(std::move(end));
  });
}

}  // namespace mb::workers
