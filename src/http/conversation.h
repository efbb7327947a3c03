// The server's control over a connection, HTTP or WebSocket. Private to this module.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "base/task.h"

namespace mb::http {

using Socket = asio::basic_stream_socket<asio::ip::tcp, Executor>;

// (error, result) of an operation without a coroutine frame of its own.
inline constexpr auto kTuple = asio::as_tuple(asio::deferred);

// All calls on the connection's core.
class Conversation {
 public:
  virtual ~Conversation() = default;
  // Called at each tick: ends a wait that exceeds its limit.
  virtual void expire() = 0;
  // Called on drain: a connection that only waits for its client ends now, by the closing procedure of its protocol.
  virtual void endIfIdle() = 0;
  // Closes the connection at once.
  virtual void abort() = 0;
};

}  // namespace mb::http
