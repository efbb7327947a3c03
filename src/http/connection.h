// One client connection on one core: reads requests, hands them up, writes answers, in order. Private to this room.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "base/worker_pool.h"
#include "http/read_buffer.h"
#include "http/request_parser.h"
#include "http/server.h"

namespace mb::http {

using Socket = asio::basic_stream_socket<asio::ip::tcp, Executor>;

// What the connections of one core share. Times are in ticks of the core's sweep, about one a second: no connection
// asks a clock.
struct ConnectionContext {
  const ServerSettings& settings;
  Service& service;
  WorkerPool& compression;
  const std::atomic<bool>& draining;
  int64_t tick = 0;
};

class Connection {
 public:
  Connection(Socket socket, std::string peer, ConnectionContext& context);
  Connection(const Connection&) = delete;

  // Until the client leaves, a limit is passed, or the server drains. On the connection's core, as all else here.
  Async<void> run();

  // Called at each tick: ends a wait that has gone on too long.
  void expire();
  // Draining: a connection that waits for its next request ends now, unless one has just come.
  void endIfIdle();
  // Ends it whatever it does.
  void abort();

 private:
  // (error, result) of an operation without a coroutine frame of its own.
  static constexpr auto kTuple = asio::as_tuple(asio::deferred);
  static constexpr size_t kRead = 4 << 10;  // least room for a read

  enum class Phase { idle, head, body, handling, sending, lingering };
  enum class Sent { all, some, failed };

  void enter(Phase phase, std::chrono::seconds limit);
  Async<bool> readMore(size_t least);
  void beginRequest();
  Async<bool> exchange();
  Async<std::optional<Error>> readBody(size_t limit);
  Async<std::optional<Error>> readSizedBody(size_t length);
  Async<std::optional<Error>> readChunkedBody(size_t limit);
  void setBodyDeadline(size_t bytes);
  Error goneAway() const;
  Response failureOf(std::string bug) const;
  Async<void> compress(Response& response);
  void append(Response& response, bool close);
  Async<void> refuse(Error error);
  Sent sendNow();
  Async<bool> flush();
  Async<void> linger();
  void giveMemoryBack();

  Socket socket_;
  ConnectionContext& context_;
  RequestParser parser_;
  ReadBuffer in_;     // begins with the request that is being read or handled
  std::string body_;  // of a chunked request, decoded
  std::string out_;   // answers not sent yet, from sent_ on
  std::string tail_;  // a large body that follows out_
  size_t sent_ = 0;   // of out_ and tail_ together
  Request request_;
  Phase phase_ = Phase::idle;
  int64_t deadline_ = 0;
  int64_t bodyStarted_ = 0;
  bool timedOut_ = false;
};

}  // namespace mb::http
