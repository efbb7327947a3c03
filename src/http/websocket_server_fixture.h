// A server whose /ws is a WebSocket that acts by its messages, and a client that sends and reads frames.
#pragma once

#include <mutex>

#include "http/test_server.h"
#include "http/websocket.h"
#include "http/websocket_fixture.h"

namespace mb::http {

// Counts the events of a server's sockets. Any thread.
struct SocketRecord {
  std::atomic<int> opened{0};
  std::atomic<int> closed{0};
  std::atomic<int> drained{0};
  std::atomic<int> refused{0};    // sends
  std::atomic<int> received{0};   // messages, at their beginning
  std::atomic<size_t> unsent{0};  // of the socket that set it last
  std::atomic<bool> released{false};
};

// The sockets of one core, so that one can send to all.
using SocketList = std::vector<WebSocket*>;

// Messages, by their first word:
//   echo TEXT          is sent back as it is
//   burst COUNT SIZE   sends COUNT messages "<number> aaa" of SIZE bytes; continues at drained() after a refusal
//   all TEXT           sends one message to every socket
//   close CODE TEXT    sends "last words", closes, and calls send() again
//   now CODE TEXT      queues something, and closes in its place
//   join               joinMessages()
//   wait               until released
//   throw
class TestSocket final : public WebSocketHandler {
 public:
  TestSocket(SocketRecord& record, SocketList& all) : record_(record), all_(all) {}

  void opened(WebSocket& socket) override;
  Async<void> received(std::string message) override;
  void drained() override;
  void closed() override;

 private:
  void burst();

  SocketRecord& record_;
  SocketList& all_;
  WebSocket* socket_ = nullptr;
  size_t next_ = 0;
  size_t count_ = 0;
  size_t size_ = 0;
};

// /ws, and /json/3 of TestService.
class SocketService final : public Service {
 public:
  Result<size_t> bodyLimit(const Request& head) override { return plain_.bodyLimit(head); }
  Async<Response> handle(Request& request) override;

  SocketRecord record;

 private:
  TestService plain_;
  SocketList all_;
};

// One core.
class SocketServer {
 public:
  explicit SocketServer(ServerSettings settings = {});
  ~SocketServer();

  Cores cores;
  SocketService service;
  Server server;
};

struct Frame {
  uint8_t first = 0;    // 0: the connection ended before
  std::string payload;  // as sent

  bool is(Opcode opcode) const { return first == (kFinalBit | static_cast<uint8_t>(opcode)); }
  uint16_t code() const;  // of a close frame; 0 without one
};

class SocketClient {
 public:
  // Opens the socket; `behind` is sent with the request.
  explicit SocketClient(const SocketServer& server, std::string_view headers = "", std::string_view behind = "",
                        int receiveBuffer = 0);

  static std::string request(std::string_view headers = "");

  void sendText(std::string_view text) { tcp.send(clientFrame(Opcode::text, text)); }
  Frame frame();
  // The text of the next frame, which must be a text frame.
  std::string readText();
  // Reads a close frame and replies with one, as a client must; returns its code.
  uint16_t completeClose();

  TestClient tcp;
  ReceivedResponse response;
};

}  // namespace mb::http
