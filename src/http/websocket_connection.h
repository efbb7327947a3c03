// One WebSocket on one core: the continuation of a Connection after a 101. Private to this module.
#pragma once

#include <vector>

#include "http/conversation.h"
#include "http/socket_core.h"
#include "http/websocket_handshake.h"
#include "http/websocket_message.h"
#include "http/websocket_reader.h"

namespace mb::http {

// An HTTP connection that continues as a WebSocket.
struct Upgraded {
  Socket socket;
  std::string early;  // bytes that arrived after the request
  std::shared_ptr<const WebSocketUpgrade> terms;
};

class WebSocketConnection final : public WebSocket,
                                  public Conversation,
                                  public CoreHook,
                                  public std::enable_shared_from_this<WebSocketConnection> {
 public:
  WebSocketConnection(Socket socket, const WebSocketUpgrade& terms, std::shared_ptr<SocketCore> core);

  // Runs the socket to its end, from opened() to closed().
  Async<void> run(std::string early);

  bool send(WebSocketMessagePtr message) override;
  void close(uint16_t code, std::string_view reason) override;
  void closeNow(uint16_t code, std::string_view reason) override;
  size_t unsentBytes() const override { return unsent_; }
  void joinMessages() override { joins_ = true; }

  void expire() override;
  void endIfIdle() override;
  void abort() override;

  // Writes the queued messages, in one system call if the system takes all.
  void flush();
  // Bytes that evict() would free.
  size_t evictableBytes() const { return isReading() ? unsent_ + counted_ : 0; }
  // Closes with kTryAgainLater; drops queued messages and the incomplete received one.
  void evict();

 private:
  // closing: the server's close frame is queued or sent, the client's is awaited. finishing: no further messages are
  // read; the queue is sent, and the client ends the connection. ended: the socket is closed.
  enum class State : uint8_t { open, closing, finishing, ended };
  enum class Sent { all, some, failed };
  static constexpr std::chrono::seconds kCloseWait{5};  // for the client's close frame
  static constexpr std::chrono::seconds kLinger{2};     // for the client to disconnect, once both have closed

  bool isReading() const { return state_ == State::open || state_ == State::closing; }
  Async<void> runSession();
  Async<void> handleMessage(std::string message);
  Async<void> linger();
  bool receive(std::span<char>& bytes);
  void keep(std::span<char>& bytes);
  void noteProgress();
  void measure();
  void queuePong();
  void confirmClose();
  void failAs(const WebSocketReader::Failure& failure);
  void finish(uint16_t code, std::string_view reason);
  void closeAs(State state, uint16_t code, std::string_view reason);
  void notifyClosed();
  void notifyDrained();

  bool admits(const WebSocketMessage& message, bool evicting);
  void push(WebSocketMessagePtr message);
  void queueClose(uint16_t code, std::string_view reason);
  bool closeIsUnderWay() const;
  void dropQueue();
  void release(size_t place);
  void placePong();
  void joinQueued();
  Sent sendNow();
  void tookBytes(size_t count);
  void waitUntilWritable();
  void allSent();
  void sendQueued();
  // The running tick may be nearly over.
  int64_t tickAfter(std::chrono::seconds time) const { return core_->tick + time.count() + 1; }

  Socket socket_;
  const std::shared_ptr<SocketCore> core_;
  std::shared_ptr<WebSocketHandler> handler_;
  WebSocketReader reader_;
  std::string rest_;    // bytes that arrived after a message that is being handled
  size_t counted_ = 0;  // bytes of the reader and of rest_ that core_->memory has counted

  std::vector<WebSocketMessagePtr> queue_;  // from first_ on
  WebSocketMessagePtr pong_;                // the reply to the latest ping, sent before the queue
  size_t first_ = 0;
  size_t sent_ = 0;    // bytes of the first
  size_t unsent_ = 0;  // bytes in all

  std::chrono::steady_clock::time_point sentAt_;  // of one that joins messages
  int64_t receivedAt_;
  int64_t wroteAt_ = 0;
  int64_t messageBy_ = 0;  // tick by which the message that has begun must be complete; 0: none has begun
  int64_t closeBy_ = 0;    // tick at which the connection is closed in any case; 0: not set
  State state_ = State::open;
  const bool deflate_;
  bool joins_ = false;    // joinMessages() was called
  bool touched_ = false;  // core_ will call flush()
  bool waiting_ = false;  // for space in the system's send buffer
  bool refused_ = false;  // a send() was refused, and drained() has yet to be called
  bool pinged_ = false;
  bool handling_ = false;  // received() is running
};

}  // namespace mb::http
