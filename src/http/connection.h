// A Connection serves one client on one core: it reads requests, passes them to the Service and writes the responses in
// order. Private to this module.
#pragma once

#include <limits>

#include "base/cancellation.h"
#include "base/worker_pool.h"
#include "http/body.h"
#include "http/client_watch.h"
#include "http/conversation.h"
#include "http/min_rate_guard.h"
#include "http/read_buffer.h"
#include "http/request_parser.h"
#include "http/server.h"
#include "http/websocket_connection.h"

namespace mb::http {

// State that the connections of one core share. Times are in ticks of the core's sweep, about one a second: no
// connection reads a clock.
struct ConnectionContext {
  const ServerSettings& settings;
  Service& service;
  WorkerPool& compression;
  WorkerPool& files;  // reads what is not in the page cache
  const std::atomic<bool>& draining;
  ClientWatch& watch;
  int64_t tick = 0;
};

class Connection final : public Conversation, private ClientWatch::WatchedRequest {
 public:
  // `cancellation` is that of the coroutine that calls run(); it is emitted if a client disconnects before its
  // response.
  Connection(Socket socket, std::string peer, ConnectionContext& context, asio::cancellation_signal& cancellation);
  Connection(const Connection&) = delete;
  ~Connection() override;

  // Runs until the client disconnects, a limit is exceeded, the server drains, or the connection becomes a WebSocket.
  Async<void> run();
  // The connection that continues as a WebSocket; nullopt if it ended. Call once, after run().
  std::optional<Upgraded> takeUpgraded();

  void expire() override;
  // Closes a connection that waits for its next request and has received none of it.
  void endIfIdle() override;
  void abort() override;

 private:
  static constexpr size_t kRead = 4 << 10;  // least space for a read
  // Bytes that are read of a refused request, so that its client sees the response before the connection ends: proxies
  // send a whole body before they read the response.
  static constexpr uint64_t kLingerBytes = 16 << 20;
  static constexpr std::chrono::seconds kLinger{2};

  enum class Phase { idle, head, body, handling, sending, lingering };
  static constexpr int64_t kNoDeadline = std::numeric_limits<int64_t>::max();
  enum class Sent { all, some, failed };
  // How a request ends.
  struct Ending {
    bool close = false;     // the connection is closed after the response
    bool switches = false;  // the connection becomes a WebSocket after the response
    uint64_t unread = 0;    // bytes of the body that the handler has not read
    uint64_t missing = 0;   // those of them that have yet to arrive
  };
  class Stream;  // connection_stream.h

  // Nothing else sets the phase. `deadline` is the tick by which it must end.
  void enter(Phase phase, int64_t deadline = kNoDeadline);
  void enter(Phase phase, std::chrono::seconds limit);
  Async<bool> exchange();
  Result<size_t> readRequest();
  bool lacksBody() const;
  Async<Response> dispatch();
  bool negotiateGzip(Response& response) const;
  Ending queueResponse(Response& response);
  bool mustFlush(const Ending& ending) const;
  uint64_t finishRequest(uint64_t unread);
  Async<bool> dropInput(const Ending& ending);
  void checkClient() override;
  void openStream();
  Async<bool> readMore(size_t min);
  Async<std::optional<Error>> readBody(size_t limit);
  Async<std::optional<Error>> readSizedBody(size_t length);
  Async<std::optional<Error>> readChunkedBody(size_t limit);
  void enterBody(size_t bytes);
  Error bodyTimeoutError() const;
  Response failureOf(std::string bug) const;
  Async<void> compress(Response& response);
  void append(Response& response, bool close);
  Async<void> refuse(Error error);
  Sent sendNow();
  Async<bool> flush();
  Async<bool> continueFlush();
  Async<bool> waitToSend();
  Async<void> prepareBody(Response& response);
  Async<bool> sendLarge(Response& response);
  Async<bool> sendFile(FilePiece piece);
  Async<bool> sendCold(FilePiece piece);
  Task<std::string> readFile(FilePiece piece);
  Async<bool> sendPieces(BodySource& source);
  Task<std::string_view> nextPiece(BodySource& source, uint64_t left);
  void logAbortedBody(const Error& error) const;
  Async<bool> discard(uint64_t bytes);
  Async<bool> discardRestOfBody(uint64_t bytes);
  Async<bool> linger(uint64_t maxBytes, std::chrono::seconds limit);
  void shrinkBuffers();

  Socket socket_;
  ConnectionContext& context_;
  asio::cancellation_signal& cancellation_;
  RequestParser parser_;
  ReadBuffer in_;           // begins with the request that is being read or handled
  std::string body_;        // of a chunked request, decoded
  std::string out_;         // responses not sent yet, from sent_ on
  std::string tail_;        // a large body, or bytes read from a file
  std::string_view after_;  // sent after out_: tail_, or a piece of a source
  size_t sent_ = 0;         // of out_ and after_ together
  MinRateGuard rateGuard_;  // of the responses being sent
  Request request_;
  Phase phase_ = Phase::idle;
  int64_t deadline_ = kNoDeadline;
  int64_t bodyStarted_ = 0;
  bool timedOut_ = false;
  bool left_ = false;
  bool probed_ = false;             // the client ended its sending while its request was handled, and was sent a 102
  std::unique_ptr<Stream> stream_;  // while a request that streams is handled
  std::shared_ptr<const WebSocketUpgrade> upgrade_;  // of the response that was sent last
};

}  // namespace mb::http
