// One connection to Redis that is made again whenever it is lost, with pauses that grow to five seconds. It belongs to
// one core; what is not marked otherwise runs there only. Private to redis/.
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

class Link : public std::enable_shared_from_this<Link> {
 public:
  // `what` names it in the log.
  Link(Executor home, Address address, std::string what);
  virtual ~Link() = default;

  // Any thread. `tasks` is waited for after stop().
  void start(TaskGroup& tasks);
  void stop();
  // Whether it answers, as far as is known; a silent one is noticed within three seconds. Any thread.
  bool up() const { return up_; }

 protected:
  using Clock = std::chrono::steady_clock;
  // What waits to be sent, and replies that are waited for, of one link.
  static constexpr size_t kMaxUnsent = 4 << 20;
  // A reply that takes longer means that the connection is of no use.
  static constexpr std::chrono::milliseconds kReplyLimit{500};

  virtual void onUp() = 0;
  virtual void onReply(Reply reply) = 0;
  // Several times a second while it is up.
  virtual void onTick(std::chrono::steady_clock::time_point now) = 0;
  virtual void onDown() = 0;
  // False, and nothing is sent, when it is down or too much waits.
  bool send(std::span<const std::string> command);
  // Ends the connection; a new one is made.
  void drop(std::string why);
  const Executor& home() const { return home_; }

 private:
  using Tcp = asio::ip::tcp;
  using Socket = asio::basic_stream_socket<Tcp, Executor>;

  static Async<void> run(std::shared_ptr<Link> self);
  static Async<void> watch(std::shared_ptr<Link> self);
  Task<> serve();
  Task<> connect();
  Task<> greet();
  Task<Reply> readReply();
  Task<Reply> ask(std::vector<std::string> command);
  void write();
  void noteEnd(const Error& error, bool wasUp);

  const Executor home_;
  const Address address_;
  const std::string what_;
  std::atomic<bool> up_{false};
  bool stopping_ = false;
  Socket socket_;
  asio::ip::basic_resolver<Tcp, Executor> resolver_;
  asio::steady_timer pause_;
  asio::steady_timer tick_;
  std::optional<Clock::time_point> greetedBy_;  // while it connects
  std::string dropped_;                         // why
  std::unique_ptr<ReplyReader> reader_;
  std::array<char, 16 << 10> in_;
  std::string unsent_;
  std::string sending_;  // empty: no write is under way
  std::string lastProblem_;
};

}  // namespace mb::redis
