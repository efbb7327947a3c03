// The listener and its connections: HTTP/1.1 with keep-alive and pipelining, limits on head, body and time, gzip,
// WebSockets (websocket.h), graceful drain. Only request_parser.cc uses Beast.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/cores.h"
#include "base/settings.h"
#include "http/message.h"

namespace mb::http {

struct ServerSettings {
  explicit ServerSettings(Settings& settings);
  ServerSettings() = default;

  std::string host = "127.0.0.1";
  int port = 8090;                 // 0: any free port
  size_t maxHeadBytes = 16 << 10;  // 431 above it
  size_t maxHeaders = 100;
  std::chrono::seconds headTimeout{10};  // for a whole head
  // For a whole body, plus a second per 64 KiB of it. For a streamed body: the longest wait without a byte, and the
  // total wait allowed on top of one second per `slowestClient` bytes.
  std::chrono::seconds bodyTimeout{30};
  std::chrono::seconds idleTimeout{75};   // between requests
  std::chrono::seconds writeTimeout{30};  // without progress in sending; likewise in total, plus the time for the size
  size_t slowestClient = 16 << 10;  // bytes a second that a client must receive of a response, or send of a stream
  size_t maxConnections = 20'000;   // on all cores; above it a new connection is closed at once
  // Of WebSockets:
  size_t maxMessage = 64 << 10;             // of a client, inflated; 1009 above it
  std::chrono::seconds messageTimeout{30};  // for a whole message once it has begun
  std::chrono::seconds pingAfter{30};       // without anything from the client
  std::chrono::seconds pongWait{30};        // then, until it is closed
  size_t socketMemory = 0;  // for unsent and incomplete messages of all sockets; 0: a sixteenth of the machine's memory
};

// The handler of all requests, implemented by the layer above.
class Service {
 public:
  static constexpr size_t kStreams = ~size_t{0};

  virtual ~Service() = default;
  // Called after the head: the limit of the body in bytes, or the error that refuses the request (sent at once; then
  // the connection closes unless there is no body). kStreams: handle() is called before the body has arrived, and reads
  // it by request.stream. Must not block.
  virtual Result<size_t> bodyLimit(const Request& head) = 0;
  // Handles a whole request, or a head whose body streams. `request` lives until the coroutine ends. An exception is
  // logged and becomes a plain 500.
  virtual Async<Response> handle(Request& request) = 0;
};

class Server {
 public:
  Server(const ServerSettings& settings, Cores& cores, Service& service);
  ~Server();  // REQUIRES: drain() has returned, if it listens and the cores run

  // Binds one listener per core (SO_REUSEPORT). Fails if the address is in use; the message can be shown as it is.
  Result<> listen();
  int port() const;
  // Stops accepting, lets running requests end with "connection: close" and closes WebSockets with 1001, for at most
  // `limit`; then closes the remaining connections. Blocks; must not be called on a core.
  void drain(std::chrono::milliseconds limit);
  size_t connections() const;  // including WebSockets

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mb::http
