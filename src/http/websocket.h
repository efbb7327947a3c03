// A WebSocket (RFC 6455) as the modules above see it: receives whole text messages, sends messages that many sockets
// share. This module handles frames, fragments, masking, UTF-8, ping and pong, per-message deflate (RFC 7692) and the
// closing handshake.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/task.h"
#include "http/message.h"

namespace mb::http {

// Close codes of RFC 6455 7.4.1 that the server sends.
namespace closeCode {
inline constexpr uint16_t kNormal = 1000;
inline constexpr uint16_t kGoingAway = 1001;
inline constexpr uint16_t kProtocolError = 1002;
inline constexpr uint16_t kUnsupportedData = 1003;
inline constexpr uint16_t kInvalidPayload = 1007;
inline constexpr uint16_t kPolicyViolation = 1008;
inline constexpr uint16_t kMessageTooBig = 1009;
inline constexpr uint16_t kInternalError = 1011;
inline constexpr uint16_t kTryAgainLater = 1013;
}  // namespace closeCode

// A text message, framed once and deflated at most once, for any number of sockets of one core: the core that created
// it. Immutable to its users. Its bytes count once against the memory of all sockets, however many hold it.
class WebSocketMessage;
using WebSocketMessagePtr = std::shared_ptr<const WebSocketMessage>;
WebSocketMessagePtr makeTextMessage(std::string payload);
// The text that was given to makeTextMessage().
std::string_view payloadOf(const WebSocketMessage& message);

// Bytes that a socket may hold unsent; a single message may be larger if nothing else is unsent.
inline constexpr size_t kMaxUnsentBytes = 256 << 10;

// Limits of WebSocket::joinMessages(): bytes of the texts in one array, and the time between two sends.
inline constexpr size_t kMaxJoinedBytes = 64 << 10;
inline constexpr std::chrono::milliseconds kJoinInterval{8};

// One open socket. All of it on the socket's core.
class WebSocket {
 public:
  virtual ~WebSocket() = default;
  // Queues a message; it is sent with others after the handlers that are ready on the core now. False, and nothing is
  // queued, if more than kMaxUnsentBytes would be unsent, or if the memory of all sockets is over its budget and this
  // socket holds much of it, or far over it; WebSocketHandler::drained() is then called once there is capacity. Also
  // false after close().
  virtual bool send(WebSocketMessagePtr message) = 0;
  // Closes after the queued messages are sent. The peer has five seconds to reply; then, or on an error, the connection
  // ends.
  virtual void close(uint16_t code, std::string_view reason) = 0;
  // Drops queued messages of which nothing has been sent, then closes as close() does.
  virtual void closeNow(uint16_t code, std::string_view reason) = 0;
  virtual size_t unsentBytes() const = 0;
  // From now on small messages that wait together are sent as one text message, a JSON array of them, and a socket that
  // has sent something waits kJoinInterval before it sends more. For messages that are JSON. A single message is sent
  // as it is.
  virtual void joinMessages() = 0;
};

// Receives the events of one socket. All calls are on the socket's core, and closed() is the last.
class WebSocketHandler {
 public:
  virtual ~WebSocketHandler() = default;
  // The handshake is complete. `socket` lives until closed() has returned.
  virtual void opened(WebSocket& socket) = 0;
  // A whole text message, valid UTF-8. The next one is not read before this coroutine has ended, so a client that
  // floods is slowed down.
  virtual Async<void> received(std::string message) = 0;
  // After a refused send(): all queued messages have been written to the system.
  virtual void drained() = 0;
  // The socket is closed, by either side. A received() that was running has ended.
  virtual void closed() = 0;
};

// Checks that the request is a WebSocket handshake (RFC 6455 4.2.1). Fails with upgradeRequired ("WebSocket upgrade
// required", 426, with sec-websocket-version: 13) if it is not, or has another version; with validation if the
// handshake is not well-formed.
Result<> checkWebSocketUpgrade(const Request& request);

// The 101 that makes the connection a socket of `handler`. REQUIRES: checkWebSocketUpgrade() has succeeded.
Response webSocketResponse(const Request& request, std::shared_ptr<WebSocketHandler> handler);

}  // namespace mb::http
