// State that the WebSockets of one core share, so that an idle socket holds almost no memory: the read buffer, the list
// of sockets with something to send, and the accounting of memory. Private to this module.
#pragma once

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/intrusive/list.hpp>
#include <memory>
#include <span>
#include <vector>

#include "http/server.h"
#include "http/socket_memory.h"

namespace mb::http {

class WebSocketConnection;

// A socket in the list of its core; unlinks itself when destroyed.
using CoreHook = boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

class SocketCore : public std::enable_shared_from_this<SocketCore> {
 public:
  // `memory` in bytes: this core's share of ServerSettings::socketMemory.
  SocketCore(asio::io_context& core, const ServerSettings& settings, size_t memory);

  // The bytes are valid until the caller suspends: a reader must consume them before it waits.
  std::span<char> readBuffer();

  // Makes `socket` a candidate of evictLargest() until it is destroyed.
  void add(WebSocketConnection& socket);
  // `socket` has something to send: its flush() is called after all handlers that are ready on the core now.
  void touch(WebSocketConnection& socket);
  // The same, but after kJoinInterval at most.
  void touchLater(WebSocketConnection& socket);
  // `socket` is about to be destroyed: its flush() is not called again.
  void forget(WebSocketConnection& socket);
  // Memory is exhausted: closes the socket that holds most of it, which frees that memory.
  void evictLargest();

  const ServerSettings settings;
  SocketMemory memory;
  // The tick of the server's sweep, about one a second.
  int64_t tick = 0;
  bool draining = false;

 private:
  void flushLater();
  void flush();

  asio::io_context& core_;
  std::unique_ptr<char[]> buffer_;
  boost::intrusive::list<CoreHook, boost::intrusive::constant_time_size<false>> sockets_;
  std::vector<WebSocketConnection*> touched_;
  std::vector<WebSocketConnection*> later_;  // not empty: the timer runs
  asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, Executor> timer_;
  bool flushing_ = false;  // a flush() is posted
};

}  // namespace mb::http
