// A Connection is one socket to Redis that reconnects whenever it is lost, with pauses that grow to five seconds. It
// belongs to one core; all but what is marked otherwise runs there. Private to redis/.
#pragma once

#include <atomic>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <memory>

#include "base/task_group.h"
#include "redis/address.h"
#include "redis/reply.h"

namespace mb::redis {

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  // `name` identifies the connection in the log.
  Connection(Executor home, Address address, std::string name);
  virtual ~Connection() = default;

  // Runs in `tasks`, whose owner waits for its end after stop(). Any thread.
  void start(TaskGroup& tasks);
  void stop();
  // Whether Redis replied recently; a silent server is noticed within three seconds. Any thread.
  bool up() const { return up_; }

 protected:
  using Clock = std::chrono::steady_clock;
  // Bytes to be sent, of one connection.
  static constexpr size_t kMaxUnsent = 4 << 20;
  // A connection whose reply takes longer is dropped.
  static constexpr std::chrono::milliseconds kReplyLimit{500};

  virtual void onUp() = 0;
  virtual void onReply(Reply reply) = 0;
  // Called several times a second while the connection is up.
  virtual void onTick(std::chrono::steady_clock::time_point now) = 0;
  virtual void onDown() = 0;
  // Returns false, and sends nothing, when the connection is down or too many bytes wait.
  bool send(std::span<const std::string> command);
  // Closes the socket; the connection then reconnects.
  void drop(std::string reason);
  const Executor& home() const { return home_; }

 private:
  using Tcp = asio::ip::tcp;
  using Socket = asio::basic_stream_socket<Tcp, Executor>;

  static Async<void> run(std::shared_ptr<Connection> self);
  static Async<void> watch(std::shared_ptr<Connection> self);
  Task<> serve();
  Task<> connect();
  Task<> greet();
  Task<Reply> readReply();
  Task<Reply> request(std::vector<std::string> command);
  void write();
  void noteEnd(const Error& error, bool wasUp);

  const Executor home_;
  const Address address_;
  const std::string name_;
  std::atomic<bool> up_{false};
  bool stopping_ = false;
  Socket socket_;
  asio::ip::basic_resolver<Tcp, Executor> resolver_;
  asio::steady_timer pause_;
  asio::steady_timer tick_;
  std::optional<Clock::time_point> handshakeDeadline_;  // while it connects
  std::string dropReason_;
  std::unique_ptr<ReplyReader> reader_;
  std::array<char, 16 << 10> in_;
  std::string unsent_;
  std::string sending_;  // empty: no write is pending
  std::string lastProblem_;
};

}  // namespace mb::redis
