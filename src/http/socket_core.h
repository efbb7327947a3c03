// What the WebSockets of one core share, so that an idle one holds next to nothing: the buffer they read into, the list
// of those that have something to send, and their memory. Private to this module.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/intrusive/list.hpp>
#include <memory>
#include <span>
#include <vector>

#include "http/server.h"
#include "http/socket_memory.h"

namespace mb::http {

class WebSocketConnection;

// What hangs on a core until it goes.
using CoreHook = boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

class SocketCore : public std::enable_shared_from_this<SocketCore> {
 public:
  // `memory` in bytes: this core's share of ServerSettings::socketMemory.
  SocketCore(asio::io_context& core, const ServerSettings& settings, size_t memory);

  // Bytes stand until the core does something else: a reader uses them up before it waits.
  std::span<char> readBuffer();

  // Until it goes, `socket` is among those that can be cut.
  void add(WebSocketConnection& socket);
  // `socket` has something to send, and flush() is to be called once the core's turn has ended.
  void touch(WebSocketConnection& socket);
  // It goes, and is not to be flushed any more.
  void forget(WebSocketConnection& socket);
  // Memory is used up to the last: the socket that holds most of it gives it back, and is closed.
  void cutLargest();

  const ServerSettings settings;
  SocketMemory memory;
  // The server's, about one a second.
  int64_t tick = 0;
  bool draining = false;

 private:
  void flushLater();
  void flush();

  asio::io_context& core_;
  std::unique_ptr<char[]> buffer_;
  boost::intrusive::list<CoreHook, boost::intrusive::constant_time_size<false>> sockets_;
  std::vector<WebSocketConnection*> touched_;
  bool flushing_ = false;  // a flush() is on its way
};

}  // namespace mb::http
