// WebSockets over real connections: clients that keep to the protocol.
#include <gmock/gmock.h>

#include "http/websocket_deflate.h"
#include "http/websocket_server_fixture.h"

namespace mb::http {
namespace {

using testing::StartsWith;

constexpr std::string_view kDeflate = "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n";

TEST(WebSocketServer, HandshakeThenEcho) {
  SocketServer server;
  SocketClient client(server);
  EXPECT_EQ(client.response.header("upgrade"), "websocket");
  EXPECT_EQ(client.response.header("connection"), "upgrade");
  EXPECT_EQ(client.response.header("sec-websocket-accept"), "bacsccjpnqyz+uboqmh89vmuroa=") << "in lower case here";
  EXPECT_FALSE(client.response.header("sec-websocket-extensions"));
  EXPECT_FALSE(client.response.header("content-length"));
  for (int i = 0; i < 3; ++i) {
    client.sendText("echo hello");
    EXPECT_EQ(client.readText(), "echo hello");
  }
  EXPECT_EQ(server.server.connections(), 1U);
}

TEST(WebSocketServer, TakesWhatComesWithTheRequest) {
  SocketServer server;
  std::string frames;
  for (int i = 0; i < 50; ++i) frames += clientFrame(Opcode::text, fmt::format("echo {}", i));
  SocketClient client(server, "", frames);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(client.readText(), fmt::format("echo {}", i));
}

TEST(WebSocketServer, FollowsRequestsOnTheSameConnection) {
  SocketServer server;
  TestClient tcp(server.server.port());
  tcp.send("GET /json/3 HTTP/1.1\r\nHost: x\r\n\r\n" + SocketClient::request() + clientFrame(Opcode::text, "echo a"));
  EXPECT_EQ(tcp.read().body, "aaa");
  EXPECT_EQ(tcp.read().status, 101);
  EXPECT_EQ(tcp.readBytes(8),
            "\x81\x06"
            "echo a");
}

TEST(WebSocketServer, LeavesOtherRequestsAlone) {
  SocketServer server;
  TestClient tcp(server.server.port());
  tcp.send("GET /ws HTTP/1.1\r\nHost: x\r\n\r\n");
  const ReceivedResponse response = tcp.read();
  EXPECT_EQ(response.status, 426);
  EXPECT_EQ(response.header("upgrade"), "websocket");
  EXPECT_EQ(response.header("sec-websocket-version"), "13");
  tcp.send("GET /json/3 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(tcp.read().body, "aaa") << "the connection continues";
  std::string old = SocketClient::request();
  old.replace(old.find("HTTP/1.1"), 8, "HTTP/1.0");
  tcp.send(old);
  EXPECT_EQ(tcp.read().status, 400);
}

TEST(WebSocketServer, ReadsFramesByteByByte) {
  SocketServer server;
  SocketClient client(server, kDeflate);
  const std::string text = "echo " + std::string(300, 'e');
  const std::string all = clientFrame(Opcode::text, "echo ", {.final = false}) +
                          clientFrame(Opcode::ping, "are you there") +
                          clientFrame(Opcode::continuation, std::string(300, 'e')) +
                          clientFrame(Opcode::text, deflateMessage(text).value(), {.reserved = kCompressedBit});
  for (const char c : all) client.tcp.send(std::string_view(&c, 1));
  const Frame pong = client.frame();
  EXPECT_TRUE(pong.is(Opcode::pong));
  EXPECT_EQ(pong.payload, "are you there");
  EXPECT_EQ(client.readText(), text);
  EXPECT_EQ(client.readText(), text);
}

TEST(WebSocketServer, DeflatesLargeMessagesWhereAgreed) {
  SocketServer server;
  SocketClient client(server, kDeflate);
  EXPECT_EQ(client.response.header("sec-websocket-extensions"),
            "permessage-deflate; server_no_context_takeover; client_no_context_takeover");
  SocketClient plain(server);
  const std::string small = "all " + std::string(1000, 's');
  const std::string large = "all " + std::string(20'000, 'l');
  client.sendText(small);
  client.sendText(large);
  EXPECT_EQ(client.readText(), small);
  const Frame frame = client.frame();
  EXPECT_EQ(frame.first, kFinalBit | kCompressedBit | static_cast<uint8_t>(Opcode::text));
  EXPECT_LT(frame.payload.size(), 200U);
  std::string inflated;
  EXPECT_EQ(inflateMessage(frame.payload, 1 << 20, inflated), Inflated::done);
  EXPECT_EQ(inflated, large);
  EXPECT_EQ(plain.readText(), small);
  EXPECT_EQ(plain.readText(), large);
}

TEST(WebSocketServer, SendsOneMessageToMany) {
  SocketServer server;
  std::vector<std::unique_ptr<SocketClient>> clients;
  for (int i = 0; i < 600; ++i) clients.push_back(std::make_unique<SocketClient>(server));
  ASSERT_TRUE(eventually([&] { return server.service.record.opened == 600; }));
  for (int i = 0; i < 3; ++i) clients[0]->sendText(fmt::format("all {}", i));
  for (const auto& client : clients) {
    for (int i = 0; i < 3; ++i) ASSERT_EQ(client->readText(), fmt::format("all {}", i));
  }
}

TEST(WebSocketServer, EchoesTheClientsClose) {
  SocketServer server;
  const std::string payloads[] = {closePayload(1000, "bye"), closePayload(4321), ""};
  for (const std::string& payload : payloads) {
    SocketClient client(server);
    client.tcp.send(clientFrame(Opcode::close, payload) + clientFrame(Opcode::text, "echo unheard"));
    const Frame frame = client.frame();
    EXPECT_TRUE(frame.is(Opcode::close));
    EXPECT_EQ(frame.payload, payload.substr(0, 2));
    EXPECT_TRUE(client.tcp.closed()) << "nothing follows";
  }
  EXPECT_TRUE(eventually([&] { return server.service.record.closed == 3; }));
  EXPECT_EQ(server.service.record.received, 0);
}

TEST(WebSocketServer, RespondsToAClientThatHasFinishedSending) {
  SocketServer server;
  SocketClient client(server);
  client.tcp.send(clientFrame(Opcode::text, "echo a") + clientFrame(Opcode::close, closePayload(1000)));
  client.tcp.finishSending();
  const Frame first = client.frame();
  const Frame last = first.is(Opcode::text) ? client.frame() : first;
  EXPECT_EQ(last.code(), 1000);
  EXPECT_TRUE(client.tcp.closed());
}

TEST(WebSocketServer, ClosesBehindWhatIsQueuedAndListensToNothingMore) {
  SocketServer server;
  SocketClient client(server);
  client.tcp.send(clientFrame(Opcode::text, "close 4000 enough") + clientFrame(Opcode::text, "echo unheard"));
  EXPECT_EQ(client.readText(), "last words");
  const Frame close = client.frame();
  EXPECT_EQ(close.code(), 4000);
  EXPECT_EQ(close.payload.substr(2), "enough");
  client.tcp.send(clientFrame(Opcode::text, "echo unheard too") + clientFrame(Opcode::close, closePayload(1000)));
  EXPECT_TRUE(client.tcp.closed());
  EXPECT_TRUE(eventually([&] { return server.service.record.closed == 1; }));
  EXPECT_EQ(server.service.record.received, 1);
  EXPECT_EQ(server.service.record.refused, 1) << "send() after close()";
}

TEST(WebSocketServer, ClosesNowInPlaceOfWhatIsQueued) {
  SocketServer server;
  SocketClient client(server);
  client.sendText("now 1013 later");
  EXPECT_EQ(client.completeClose(), 1013);
  EXPECT_TRUE(eventually([&] { return server.service.record.closed == 1; }));
}

TEST(WebSocketServer, BothMayCloseAtOnce) {
  SocketServer server;
  for (int i = 0; i < 50; ++i) {
    SocketClient client(server);
    client.tcp.send(clientFrame(Opcode::text, "close 4000 x") + clientFrame(Opcode::close, closePayload(1000)));
    Frame frame = client.frame();
    if (frame.is(Opcode::text)) frame = client.frame();
    EXPECT_TRUE(frame.code() == 4000 || frame.code() == 1000);
    EXPECT_TRUE(client.tcp.closed()) << "one close frame";
  }
  EXPECT_TRUE(eventually([&] { return server.service.record.closed == 50; }));
}

TEST(WebSocketServer, TellsTheEndOfAClientThatJustLeaves) {
  SocketServer server;
  {
    SocketClient client(server);
  }
  {
    SocketClient client(server);
    client.sendText("burst 100 1000");
  }
  {
    SocketClient client(server);
    client.tcp.send("\x81");
  }
  EXPECT_TRUE(eventually([&] { return server.service.record.closed == 3; }));
  EXPECT_TRUE(eventually([&] { return server.server.connections() == 0; }));
}

TEST(WebSocketServer, AReaderThatFallsBehindGetsAllInOrder) {
  SocketServer server;
  SocketClient client(server, "", "", 4096);
  constexpr size_t kCount = 3000;
  client.sendText(fmt::format("burst {} 3000", kCount));
  ASSERT_TRUE(eventually([&] { return server.service.record.refused > 0; }));
  EXPECT_LE(server.service.record.unsent, kMaxUnsentBytes);
  for (size_t i = 0; i < kCount; ++i) ASSERT_THAT(client.readText(), StartsWith(fmt::format("{} a", i)));
  EXPECT_GT(server.service.record.drained, 0);
  client.sendText("echo still here");
  EXPECT_EQ(client.readText(), "echo still here");
}

TEST(WebSocketServer, AMessageLargerThanTheBoundGoesAlone) {
  SocketServer server;
  SocketClient client(server);
  client.sendText("burst 5 1000000");
  for (size_t i = 0; i < 5; ++i) {
    const std::string text = client.readText();
    EXPECT_EQ(text.size(), 1'000'000U);
    EXPECT_THAT(text, StartsWith(fmt::format("{} a", i)));
  }
}

}  // namespace
}  // namespace mb::http
