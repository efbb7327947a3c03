#include "http/websocket_server_fixture.h"

#include <sstream>
#include <stdexcept>

#include "base/crypto.h"

namespace mb::http {

void TestSocket::opened(WebSocket& socket) {
  socket_ = &socket;
  all_.push_back(&socket);
  ++record_.opened;
}

void TestSocket::closed() {
  std::erase(all_, socket_);
  ++record_.closed;
}

void TestSocket::drained() {
  ++record_.drained;
  burst();
}

void TestSocket::burst() {
  for (; next_ < count_; ++next_) {
    std::string text = fmt::format("{} ", next_);
    text.resize(size_, 'a');
    if (!socket_->send(makeTextMessage(std::move(text)))) {
      ++record_.refused;
      record_.unsent = socket_->unsentBytes();
      return;
    }
  }
}

Async<void> TestSocket::received(std::string message) {
  ++record_.received;
  std::istringstream words(message);
  std::string what;
  words >> what;
  if (what == "throw") throw std::runtime_error("a secret bug");
  while (what == "wait" && !record_.released) co_await sleepFor(std::chrono::milliseconds(2));
  if (what == "echo") socket_->send(makeTextMessage(message));
  if (what == "all") {
    const auto shared = makeTextMessage(message);
    for (WebSocket* const socket : all_) socket->send(shared);
  }
  if (what == "join") socket_->joinMessages();
  if (what == "burst") {
    words >> count_ >> size_;
    next_ = 0;
    burst();
  }
  uint16_t code = 0;
  std::string reason;
  if (what == "close" || what == "now" || what == "both") words >> code >> reason;
  if (what == "close") {
    socket_->send(makeTextMessage("last words"));
    socket_->close(code, reason);
    if (!socket_->send(makeTextMessage("too late"))) ++record_.refused;
  }
  if (what == "now") {
    socket_->send(makeTextMessage("never said"));
    socket_->closeNow(code, reason);
  }
}

Async<Response> SocketService::handle(Request& request) {
  if (request.path != "/ws") co_return co_await plain_.handle(request);
  const Result<> asked = checkWebSocketUpgrade(request);
  if (!asked) co_return Response::failure(asked.error());
  co_return webSocketResponse(request, std::make_shared<TestSocket>(record, all_));
}

namespace {

ServerSettings onAnyPort(ServerSettings settings) {
  settings.port = 0;
  return settings;
}

}  // namespace

SocketServer::SocketServer(ServerSettings settings)
    : cores((initCrypto(), 1)), server(onAnyPort(std::move(settings)), cores, service) {
  if (const auto listening = server.listen(); !listening) throw std::runtime_error(listening.error().message());
  cores.start();
}

SocketServer::~SocketServer() {
  service.record.released = true;
  server.drain(std::chrono::milliseconds(200));
  cores.stop();
  cores.join();
}

uint16_t Frame::code() const {
  if (!is(Opcode::close) || payload.size() < 2) return 0;
  return static_cast<uint16_t>((static_cast<uint8_t>(payload[0]) << 8) | static_cast<uint8_t>(payload[1]));
}

std::string SocketClient::request(std::string_view headers) {
  return fmt::format(
      "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n{}\r\n",
      headers);
}

SocketClient::SocketClient(const SocketServer& server, std::string_view headers, std::string_view behind,
                           int receiveBuffer)
    : tcp(server.server.port(), receiveBuffer) {
  tcp.send(request(headers) + std::string(behind));
  response = tcp.read();
  EXPECT_EQ(response.status, 101);
}

Frame SocketClient::frame() {
  const std::string head = tcp.readBytes(2);
  if (head.size() < 2) return {};
  Frame frame{.first = static_cast<uint8_t>(head[0]), .payload = {}};
  size_t length = static_cast<uint8_t>(head[1]);
  EXPECT_LT(length, 128U) << "a server does not mask";
  if (length >= 126) {
    const std::string extended = tcp.readBytes(length == 126 ? 2 : 8);
    length = 0;
    for (const char c : extended) length = (length << 8) | static_cast<uint8_t>(c);
  }
  frame.payload = tcp.readBytes(length);
  EXPECT_EQ(frame.payload.size(), length);
  return frame;
}

std::string SocketClient::readText() {
  Frame next = frame();
  EXPECT_TRUE(next.is(Opcode::text)) << int{next.first} << " " << next.payload.substr(0, 200);
  return std::move(next.payload);
}

uint16_t SocketClient::completeClose() {
  const Frame close = frame();
  EXPECT_TRUE(close.is(Opcode::close)) << int{close.first} << " " << close.payload.substr(0, 200);
  tcp.send(clientFrame(Opcode::close, close.payload));
  EXPECT_TRUE(tcp.closed());
  return close.code();
}

}  // namespace mb::http
