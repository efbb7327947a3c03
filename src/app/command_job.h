// A running command of the command socket, and the connection that waits for it. Private to command_socket.cc.
#pragma once

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/redirect_error.hpp>

#include "base/progress.h"
#include "base/task.h"
#include "cli/wire.h"

namespace mb::app {

inline constexpr std::chrono::milliseconds kBetweenLooks{250};

using CommandTimer =
    asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, Executor>;

// The progress and the result of one command, shared by its thread and the connection that waits for it.
class CommandJob final : public Progress, public std::enable_shared_from_this<CommandJob> {
 public:
  explicit CommandJob(const Executor& executor) : timer_(executor) {}

  void at(std::string_view step, uint64_t done, uint64_t total) override {
    const std::lock_guard lock(mutex_);
    step_.step = step;
    step_.done = static_cast<int64_t>(done);
    step_.total = static_cast<int64_t>(total);
  }
  void end(cli::Message ending) {
    {
      const std::lock_guard lock(mutex_);
      ending_ = std::move(ending);
    }
    asio::post(timer_.get_executor(), [job = shared_from_this()] { job->timer_.cancel(); });
  }
  cli::Step step() const {
    const std::lock_guard lock(mutex_);
    return step_;
  }
  std::optional<cli::Message> ending() const {
    const std::lock_guard lock(mutex_);
    return ending_;
  }
  // Waits until there is progress or a result to send. On the connection's core.
  Async<void> wait() {
    if (ending()) co_return;
    timer_.expires_after(kBetweenLooks);
    boost::system::error_code ignored;
    co_await timer_.async_wait(asio::redirect_error(useAwaitable, ignored));
  }

 private:
  mutable std::mutex mutex_;
  cli::Step step_;
  std::optional<cli::Message> ending_;
  CommandTimer timer_;
};

// A connection, and the timer that closes it when an operation takes too long.
struct CommandConnection {
  using Socket = asio::basic_stream_socket<asio::local::stream_protocol, Executor>;
  explicit CommandConnection(Socket accepted) : socket(std::move(accepted)), timer(socket.get_executor()) {}
  Socket socket;
  CommandTimer timer;
  std::string request;
  std::string ignored;

  // Closes the socket after `limit`, unless disarm() is called before.
  static void arm(const std::shared_ptr<CommandConnection>& connection, std::chrono::seconds limit) {
    connection->timer.expires_after(limit);
    connection->timer.async_wait([connection](boost::system::error_code error) {
      if (!error) connection->close();
    });
  }
  void disarm() { timer.cancel(); }
  void close() {
    boost::system::error_code done;
    socket.close(done);
  }
};
using ConnectionPtr = std::shared_ptr<CommandConnection>;

}  // namespace mb::app
