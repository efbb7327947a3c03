// WebSockets over real connections: clients that break rules, send without end, never read, never respond.
#include <gmock/gmock.h>

#include "http/websocket_deflate.h"
#include "http/websocket_server_fixture.h"

namespace mb::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(WebSocketHostile, BrokenRulesEndWithTheirCode) {
  SocketServer server;
  const struct {
    std::string bytes;
    uint16_t code;
  } cases[] = {
      {"\x81\x01x", closeCode::kProtocolError},
      {clientFrame(Opcode::continuation, "x"), closeCode::kProtocolError},
      {clientFrame(Opcode::binary, "x"), closeCode::kUnsupportedData},
      {clientFrame(Opcode::text, "\xFF"), closeCode::kInvalidPayload},
      {clientFrame(Opcode::text, std::string((64 << 10) + 1, 'x')), closeCode::kMessageTooBig},
      {clientFrame(Opcode::text, "throw"), closeCode::kInternalError},
  };
  int ended = 0;
  for (const auto& [bytes, code] : cases) {
    SocketClient client(server);
    client.tcp.send(bytes);
    const Frame frame = client.frame();
    EXPECT_EQ(frame.code(), code);
    EXPECT_EQ(frame.payload.find("secret"), std::string::npos);
    EXPECT_TRUE(client.tcp.closed());
    EXPECT_TRUE(eventually([&] { return server.service.record.closed == ended + 1; }));
    ++ended;
  }
  SocketClient next(server);
  next.sendText("echo well");
  EXPECT_EQ(next.readText(), "echo well");
}

TEST(WebSocketHostile, BombsAreNotInflated) {
  SocketServer server;
  SocketClient client(server, "Sec-WebSocket-Extensions: permessage-deflate\r\n");
  const std::string bomb = deflateMessage(std::string(8 << 20, 'a')).value();
  ASSERT_LT(bomb.size(), 1U << 20);
  client.tcp.send(
      clientFrame(Opcode::text, deflateMessage(std::string(1 << 20, 'a')).value(), {.reserved = kCompressedBit}));
  EXPECT_EQ(client.frame().code(), closeCode::kMessageTooBig);
  SocketClient large(server, "Sec-WebSocket-Extensions: permessage-deflate\r\n");
  large.tcp.send(clientFrame(Opcode::text, bomb, {.reserved = kCompressedBit}));
  EXPECT_EQ(large.frame().code(), closeCode::kMessageTooBig);
}

TEST(WebSocketHostile, AFloodWaitsUntilWhatCameIsHandled) {
  SocketServer server;
  SocketClient client(server, "", "", 0);
  client.sendText("wait");
  ASSERT_TRUE(eventually([&] { return server.service.record.received == 1; }));
  std::string flood;
  while (flood.size() < (64U << 20)) flood += clientFrame(Opcode::text, std::string(1000, 'f'));
  EXPECT_LT(client.tcp.sendFor(flood, milliseconds(300)), flood.size()) << "the server does not read";
  EXPECT_EQ(server.service.record.received, 1);
  SocketClient other(server);
  other.sendText("echo meanwhile");
  EXPECT_EQ(other.readText(), "echo meanwhile");
  server.service.record.released = true;
  EXPECT_TRUE(eventually([&] { return server.service.record.received > 100; }));
}

TEST(WebSocketHostile, EndlessPingsGetPongsAsTheyAreRead) {
  SocketServer server;
  SocketClient client(server, "", "", 4096);
  std::string pings;
  while (pings.size() < (16U << 20)) pings += clientFrame(Opcode::ping, std::string(125, 'p'));
  client.tcp.sendFor(pings, milliseconds(300));
  SocketClient other(server);
  other.sendText("echo meanwhile");
  EXPECT_EQ(other.readText(), "echo meanwhile");
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(client.frame().is(Opcode::pong));
}

TEST(WebSocketHostile, WhoDoesNotReadHoldsLittleAndHindersNobody) {
  ServerSettings settings;
  settings.socketMemory = 1 << 20;
  SocketServer server(settings);
  std::vector<std::unique_ptr<SocketClient>> stalled;
  for (int i = 0; i < 12; ++i) {
    stalled.push_back(std::make_unique<SocketClient>(server, "", "", 4096));
    stalled.back()->sendText("burst 100000 3000");
  }
  ASSERT_TRUE(eventually([&] { return server.service.record.refused >= 12; }));
  SocketClient other(server);
  for (int i = 0; i < 100; ++i) {
    const std::string text = fmt::format("echo {} {}", i, std::string(3000, 'e'));
    other.sendText(text);
    ASSERT_EQ(other.readText(), text);
  }
  EXPECT_TRUE(eventually([&] { return server.service.record.closed > 0; })) << "the largest was evicted";
  EXPECT_LT(server.service.record.closed, 12);
  stalled.clear();
  EXPECT_TRUE(eventually([&] { return server.service.record.closed == 12; }));
}

TEST(WebSocketHostile, UnfinishedMessagesAreBoundedTogether) {
  ServerSettings settings;
  settings.socketMemory = 256 << 10;
  SocketServer server(settings);
  std::vector<std::unique_ptr<SocketClient>> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(std::make_unique<SocketClient>(server));
    clients.back()->tcp.send(clientFrame(Opcode::text, std::string(60'000, 'u'), {.final = false}));
  }
  EXPECT_TRUE(eventually([&] { return server.service.record.closed > 0; }));
  SocketClient other(server);
  other.sendText("echo well");
  EXPECT_EQ(other.readText(), "echo well");
}

TEST(WebSocketHostile, ClientsThatFallSilentAreAskedAndThenClosed) {
  ServerSettings settings;
  settings.pingAfter = seconds(1);
  settings.pongWait = seconds(3);
  settings.messageTimeout = seconds(1);
  SocketServer server(settings);
  SocketClient silent(server);
  SocketClient responsive(server);
  SocketClient unfinished(server);
  unfinished.tcp.send(clientFrame(Opcode::text, "begun", {.final = false}));
  SocketClient trickling(server);
  trickling.tcp.send(clientFrame(Opcode::text, "begun", {.final = false}));
  int pongs = 0;
  const auto trickle = [&] { trickling.tcp.send(clientFrame(Opcode::continuation, "", {.final = false})); };
  trickle();
  // The responsive client is still connected when the silent one has been closed.
  std::thread responder([&] {
    while (pongs < 3) {
      const Frame frame = responsive.frame();
      if (!frame.is(Opcode::ping)) break;
      ++pongs;
      responsive.tcp.send(clientFrame(Opcode::pong, frame.payload));
    }
  });
  EXPECT_TRUE(silent.frame().is(Opcode::ping));
  EXPECT_EQ(silent.completeClose(), closeCode::kGoingAway);
  EXPECT_EQ(unfinished.completeClose(), closeCode::kPolicyViolation);
  EXPECT_EQ(trickling.completeClose(), closeCode::kPolicyViolation);
  responder.join();
  EXPECT_EQ(pongs, 3);
}

TEST(WebSocketHostile, ClientsThatNeverRespondOrNeverReadAreClosed) {
  ServerSettings settings;
  settings.writeTimeout = seconds(1);
  SocketServer server(settings);
  SocketClient unresponsive(server);
  unresponsive.sendText("close 4000 now");
  SocketClient unreading(server, "", "", 4096);
  unreading.sendText("burst 100000 3000");
  EXPECT_TRUE(eventually([&] { return server.server.connections() == 0; }));
  EXPECT_EQ(server.service.record.closed, 2);
}

TEST(WebSocketDrain, EverySocketIsToldAndEnds) {
  SocketServer server;
  std::vector<std::unique_ptr<SocketClient>> clients;
  for (int i = 0; i < 20; ++i) clients.push_back(std::make_unique<SocketClient>(server));
  SocketClient busy(server);
  busy.sendText("wait");
  ASSERT_TRUE(eventually([&] { return server.service.record.received == 1; }));
  std::thread drain([&] { server.server.drain(seconds(10)); });
  for (const auto& client : clients) EXPECT_EQ(client->completeClose(), closeCode::kGoingAway);
  EXPECT_EQ(busy.frame().code(), closeCode::kGoingAway);
  EXPECT_TRUE(eventually([&] { return server.service.record.closed == 20; }));
  server.service.record.released = true;
  busy.tcp.send(clientFrame(Opcode::close, closePayload(1001)));
  EXPECT_TRUE(busy.tcp.closed());
  drain.join();
  EXPECT_EQ(server.server.connections(), 0U);
  EXPECT_EQ(server.service.record.closed, 21);
}

TEST(WebSocketDrain, HoldsItsLimit) {
  SocketServer server;
  SocketClient unresponsive(server);
  SocketClient unreading(server, "", "", 4096);
  unreading.sendText("burst 100000 3000");
  ASSERT_TRUE(eventually([&] { return server.service.record.refused > 0; }));
  server.server.drain(milliseconds(100));
  EXPECT_EQ(server.server.connections(), 0U);
  EXPECT_EQ(server.service.record.closed, 2);
}

}  // namespace
}  // namespace mb::http
