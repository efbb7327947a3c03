// One WebSocket on one core: what a Connection becomes behind a 101. Private to this module.
#pragma once

#include <vector>

#include "http/conversation.h"
#include "http/socket_core.h"
#include "http/websocket_handshake.h"
#include "http/websocket_message.h"
#include "http/websocket_reader.h"

namespace mb::http {

// What is left of an HTTP connection whose client and handler agreed to go on as a WebSocket.
struct Upgraded {
  Socket socket;
  std::string early;  // what came behind the request
  std::shared_ptr<const WebSocketUpgrade> terms;
};

class WebSocketConnection final : public WebSocket,
                                  public Conversation,
                                  public CoreHook,
                                  public std::enable_shared_from_this<WebSocketConnection> {
 public:
  WebSocketConnection(Socket socket, const WebSocketUpgrade& terms, std::shared_ptr<SocketCore> core);

  // Until it has ended, from opened() to closed().
  Async<void> run(std::string early);

  bool send(WebSocketMessagePtr message) override;
  void close(uint16_t code, std::string_view reason) override;
  void closeNow(uint16_t code, std::string_view reason) override;
  size_t unsentBytes() const override { return unsent_; }

  void expire() override;
  void endIfIdle() override;
  void abort() override;

  // Hands the system what is queued, in one call where it takes all.
  void flush();
  // Bytes that cut() would give back.
  size_t cuttable() const { return isReading() ? unsent_ + counted_ : 0; }
  // Ends with kTryAgainLater, without what is queued and what is not whole.
  void cut();

 private:
  // closing: the server's close frame is queued or sent, the client's is awaited. finishing: nothing more is read; what
  // is queued goes out, and the client ends the connection. ended: the socket is closed.
  enum class State : uint8_t { open, closing, finishing, ended };
  enum class Sent { all, some, failed };
  static constexpr std::chrono::seconds kCloseWait{5};  // for the client's close frame
  static constexpr std::chrono::seconds kLinger{2};     // for its end, once both have closed

  bool isReading() const { return state_ == State::open || state_ == State::closing; }
  Async<void> converse();
  Async<void> hear(std::string message);
  Async<void> linger();
  bool receive(std::span<char>& bytes);
  void keep(std::span<char>& bytes);
  void noteProgress();
  void measure();
  void answerPing();
  void answerClose();
  void failAs(const WebSocketReader::Failure& failure);
  void finish(uint16_t code, std::string_view reason);
  void tellClosed();
  void tellDrained();

  bool admits(const WebSocketMessage& message, bool cutting);
  void push(WebSocketMessagePtr message);
  void queueClose(uint16_t code, std::string_view reason);
  bool closeIsUnderWay() const;
  void dropQueue();
  void release(size_t place);
  void placePong();
  Sent sendNow();
  void tookBytes(size_t count);
  void waitForRoom();
  void allSent();
  void sendQueued();
  // The running tick may be nearly over.
  int64_t tickAfter(std::chrono::seconds time) const { return core_->tick + time.count() + 1; }

  Socket socket_;
  const std::shared_ptr<SocketCore> core_;
  std::shared_ptr<WebSocketHandler> handler_;
  WebSocketReader reader_;
  std::string rest_;    // what came behind a message that is being handled
  size_t counted_ = 0;  // bytes of the reader and of rest_ that core_->memory knows of

  std::vector<WebSocketMessagePtr> queue_;  // from first_ on
  WebSocketMessagePtr pong_;                // the answer to the latest ping, before what is queued
  size_t first_ = 0;
  size_t sent_ = 0;    // bytes of the first
  size_t unsent_ = 0;  // bytes in all

  int64_t heardAt_;
  int64_t wroteAt_ = 0;
  int64_t messageBy_ = 0;  // when the message that has begun must be there; 0: none has
  int64_t closeBy_ = 0;    // when the connection ends whatever the client does; 0: not yet
  State state_ = State::open;
  const bool deflate_;
  bool touched_ = false;  // core_ will call flush()
  bool waiting_ = false;  // for room in the system's buffer
  bool refused_ = false;  // a send() was, and drained() is owed
  bool pinged_ = false;
  bool hearing_ = false;  // received() is under way
};

}  // namespace mb::http
