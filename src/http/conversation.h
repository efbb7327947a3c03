// What a server can do to a connection, whatever is spoken on it. Private to this module.
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
  // Called at each tick: ends a wait that has gone on too long.
  virtual void expire() = 0;
  // Draining: what waits for the client to say something ends now, in the way that is proper to it.
  virtual void endIfIdle() = 0;
  // Ends it whatever it does.
  virtual void abort() = 0;
};

}  // namespace mb::http
