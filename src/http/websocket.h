// A WebSocket (RFC 6455) as the modules above see it: whole text messages in, messages for many out. Frames, fragments,
// masking, UTF-8, ping and pong, per-message deflate (RFC 7692) and the closing handshake are this module's business.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/task.h"
#include "http/message.h"

namespace mb::http {

// Close codes of RFC 6455 7.4.1 that the server gives.
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

// A text message, framed once and deflated at most once, for any number of sockets of one core. Immutable to its users;
// its bytes count once against the memory of all sockets, however many hold it. Of the core it was made on.
class WebSocketMessage;
using WebSocketMessagePtr = std::shared_ptr<const WebSocketMessage>;
WebSocketMessagePtr makeTextMessage(std::string payload);
// The text it was made of.
std::string_view payloadOf(const WebSocketMessage& message);

// What a socket may hold unsent; a single message may be larger where nothing else is.
inline constexpr size_t kMaxUnsentBytes = 256 << 10;

// One open socket. All of it on the socket's core.
class WebSocket {
 public:
  virtual ~WebSocket() = default;
  // Queues a message; it leaves with others when the core's present turn ends. False, and nothing is queued, where more
  // than kMaxUnsentBytes would be unsent, or the memory of all sockets is used up and this one holds most: then
  // WebSocketHandler::drained() says when there is room again. After close() false too.
  virtual bool send(WebSocketMessagePtr message) = 0;
  // Behind what is queued. The peer has five seconds to answer; then, or with an error, the connection ends.
  virtual void close(uint16_t code, std::string_view reason) = 0;
  // Drops what is queued and not yet on its way, then closes as close() does.
  virtual void closeNow(uint16_t code, std::string_view reason) = 0;
  virtual size_t unsentBytes() const = 0;
};

// What a module makes of a socket. One object a socket; all calls come on its core, none after closed().
class WebSocketHandler {
 public:
  virtual ~WebSocketHandler() = default;
  // The handshake is through. `socket` lives until closed() has returned.
  virtual void opened(WebSocket& socket) = 0;
  // A whole text message, valid UTF-8. The next is not read before this has ended, so a client that floods waits.
  virtual Async<void> received(std::string message) = 0;
  // All that was queued has been handed to the system, after a send() that was refused.
  virtual void drained() = 0;
  // The end, whoever wanted it. A received() under way has ended.
  virtual void closed() = 0;
};

// Whether the request asks to become a WebSocket. Fails with upgradeRequired ("WebSocket upgrade required", 426, with
// sec-websocket-version: 13) where it does not, or in another version; with validation where the handshake is broken
// otherwise (RFC 6455 4.2.1).
Result<> checkWebSocketUpgrade(const Request& request);

// The 101 that makes the connection a socket of `handler`. After checkWebSocketUpgrade().
Response webSocketResponse(const Request& request, std::shared_ptr<WebSocketHandler> handler);

}  // namespace mb::http
