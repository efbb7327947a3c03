// The listener and its connections: HTTP/1.1 with keep-alive and pipelining, limits on head, body and time, gzip,
// WebSockets (websocket.h), graceful drain. Beast is known to request_parser.cc only.
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
  int port = 8090;                 // 0: any free one
  size_t maxHeadBytes = 16 << 10;  // 431 past it
  size_t maxHeaders = 100;
  std::chrono::seconds headTimeout{10};  // for a whole head
  // For a whole body; longer for larger ones: plus a second per 64 KiB. For one that streams: without a byte, and for
  // waiting in all beside what its size takes.
  std::chrono::seconds bodyTimeout{30};
  std::chrono::seconds idleTimeout{75};  // between requests
  std::chrono::seconds writeTimeout{
      30};                          // without progress in sending, and for a whole answer beside what its size takes
  size_t slowestClient = 16 << 10;  // bytes a second that a client must take of an answer, or send of a stream
  size_t maxConnections = 20'000;   // all cores; past it a connection is closed at once
  // Of WebSockets:
  size_t maxMessage = 64 << 10;             // of a client, inflated; 1009 past it
  std::chrono::seconds messageTimeout{30};  // for a whole message once it has begun
  std::chrono::seconds pingAfter{30};       // without anything from the client
  std::chrono::seconds pongWait{30};        // then, until it is closed
  size_t socketMemory = 0;  // for what all of them hold unsent or not whole; 0: a sixteenth of the machine's memory
};

// What the layer above does with requests.
class Service {
 public:
  static constexpr size_t kStreams = ~size_t{0};

  virtual ~Service() = default;
  // After the head: how large the body may be, or the answer that refuses it (sent at once, then the connection closes
  // unless there is no body). kStreams: handle() is called before the body has come, and reads it by request.stream.
  // Must not wait.
  virtual Result<size_t> bodyLimit(const Request& head) = 0;
  // A whole request, or its head where it streams. `request` lives until the coroutine ends. An exception is a bug:
  // logged, answered with a plain 500.
  virtual Async<Response> handle(Request& request) = 0;
};

class Server {
 public:
  Server(const ServerSettings& settings, Cores& cores, Service& service);
  ~Server();  // once it listens and the cores run: drain() first

  // Binds one listener a core (SO_REUSEPORT). Fails with the line to show when the address is taken.
  Result<> listen();
  int port() const;
  // Stops accepting, lets running requests end with "connection: close" and closes WebSockets with 1001 (at most
  // `limit`), then ends what is left.
  // Not from a core.
  void drain(std::chrono::milliseconds limit);
  size_t connections() const;  // WebSockets among them

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mb::http
