#include "redis/connection.h"

#include <boost/asio/connect.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/write.hpp>

#include "base/cores.h"
#include "base/log.h"

namespace mb::redis {

namespace {

using namespace std::chrono_literals;

constexpr auto kConnectLimit = 2s;
constexpr auto kFirstPause = 50ms;
constexpr auto kLongestPause = 5000ms;
constexpr auto kTick = 250ms;

std::unexpected<Error> unreachable(std::string cause) {
  return fail(Error(ErrorCode::upstreamFailed, "Redis cannot be reached").withCause(std::move(cause)));
}

}  // namespace

Connection::Connection(Executor home, Address address, std::string name)
    : home_(home),
      address_(std::move(address)),
      name_(std::move(name)),
      socket_(home),
      resolver_(home),
      pause_(home),
      tick_(home) {}

void Connection::start(TaskGroup& tasks) {
  tasks.spawn(home_, run(shared_from_this()));
  tasks.spawn(home_, watch(shared_from_this()));
}

void Connection::stop() {
  asio::post(home_, [self = shared_from_this()] {
    self->stopping_ = true;
    self->pause_.cancel();
    self->tick_.cancel();
    self->drop("stopping");
  });
}

void Connection::drop(std::string reason) {
  if (dropReason_.empty()) dropReason_ = std::move(reason);
  resolver_.cancel();
  boost::system::error_code ignored;
  socket_.close(ignored);
}

Async<void> Connection::run(std::shared_ptr<Connection> self) {
  auto pause = std::chrono::milliseconds(kFirstPause);
  while (!self->stopping_) {
    const Result<> ended = co_await self->serve();
    const bool wasUp = self->up_.exchange(false);
    self->handshakeDeadline_.reset();
    self->noteEnd(ended.error(), wasUp);
    if (wasUp) self->onDown();
    if (self->stopping_) co_return;
    pause =
        wasUp ? std::chrono::milliseconds(kFirstPause) : std::min<std::chrono::milliseconds>(pause * 2, kLongestPause);
    self->pause_.expires_after(pause);
    boost::system::error_code ignored;
    co_await self->pause_.async_wait(asio::redirect_error(useAwaitable, ignored));
  }
}

Async<void> Connection::watch(std::shared_ptr<Connection> self) {
  while (!self->stopping_) {
    self->tick_.expires_after(kTick);
    boost::system::error_code ignored;
    co_await self->tick_.async_wait(asio::redirect_error(useAwaitable, ignored));
    const auto now = Clock::now();
    if (self->handshakeDeadline_ && now > *self->handshakeDeadline_) self->drop("no reply in time");
    if (self->up_ && !self->stopping_) self->onTick(now);
  }
}

void Connection::noteEnd(const Error& error, bool wasUp) {
  if (stopping_) return;
  std::string problem = dropReason_.empty() ? error.cause() : dropReason_;
  // Logged once per reason, not at each attempt.
  if (!wasUp && problem == lastProblem_) return;
  logWarn(wasUp ? "Redis connection lost; reconnecting" : "Redis cannot be reached; retrying",
          {{"connection", name_}, {"problem", problem}});
  lastProblem_ = std::move(problem);
}

Task<> Connection::serve() {
  reader_ = std::make_unique<ReplyReader>();
  dropReason_.clear();
  unsent_.clear();
  handshakeDeadline_ = Clock::now() + kConnectLimit;
  CO_RETURN_IF_ERROR(co_await connect());
  CO_RETURN_IF_ERROR(co_await greet());
  handshakeDeadline_.reset();
  lastProblem_.clear();
  up_ = true;
  logInfo("Redis connection established", {{"connection", name_}});
  onUp();
  while (true) {
    CO_TRY(Reply reply, co_await readReply());
    onReply(std::move(reply));
  }
}

Task<> Connection::connect() {
  boost::system::error_code error;
  const auto found =
      co_await resolver_.async_resolve(address_.host, address_.port, asio::redirect_error(useAwaitable, error));
  if (error || stopping_) co_return unreachable(error.message());
  // A write of the earlier connection may not have ended yet.
  while (!sending_.empty()) co_await sleepFor(1ms);
  socket_ = Socket(home_);
  co_await asio::async_connect(socket_, found, asio::redirect_error(useAwaitable, error));
  if (error) co_return unreachable(error.message());
  socket_.set_option(Tcp::no_delay(true), error);
  co_return Result<>();
}

Task<> Connection::greet() {
  if (!address_.password.reveal().empty()) {
    std::vector<std::string> command = {"AUTH"};
    if (!address_.user.empty()) command.push_back(address_.user);
    command.emplace_back(address_.password.reveal());
    CO_RETURN_IF_ERROR(co_await request(std::move(command)));
  }
  if (address_.database != 0) CO_RETURN_IF_ERROR(co_await request({"SELECT", std::to_string(address_.database)}));
  CO_RETURN_IF_ERROR(co_await request({"PING"}));
  co_return Result<>();
}

Task<Reply> Connection::request(std::vector<std::string> command) {
  const std::string bytes = encode(command);
  boost::system::error_code error;
  co_await asio::async_write(socket_, asio::buffer(bytes), asio::redirect_error(useAwaitable, error));
  if (error) co_return unreachable(error.message());
  CO_TRY(Reply reply, co_await readReply());
  if (reply.kind == Reply::Kind::error) co_return unreachable(command[0] + ": " + reply.text.substr(0, 200));
  co_return reply;
}

Task<Reply> Connection::readReply() {
  while (true) {
    CO_TRY(auto reply, reader_->next());
    if (reply) co_return *std::move(reply);
    boost::system::error_code error;
    const size_t read = co_await socket_.async_read_some(asio::buffer(in_), asio::redirect_error(useAwaitable, error));
    if (error) co_return unreachable(error.message());
    reader_->feed({in_.data(), read});
  }
}

bool Connection::send(std::span<const std::string> command) {
  if (!up_ || unsent_.size() > kMaxUnsent) return false;
  unsent_ += encode(command);
  if (sending_.empty()) write();
  return true;
}

void Connection::write() {
  sending_ = std::exchange(unsent_, {});
  asio::async_write(socket_, asio::buffer(sending_),
                    [self = shared_from_this()](const boost::system::error_code& error, size_t) {
                      self->sending_.clear();
                      // The pending read ends the connection on an error.
                      if (!error && !self->unsent_.empty()) self->write();
                    });
}

}  // namespace mb::redis
