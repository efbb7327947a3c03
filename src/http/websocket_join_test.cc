// Sockets that join messages, over real connections.
#include <gmock/gmock.h>

#include "http/websocket_server_fixture.h"

namespace mb::http {
namespace {

using testing::ElementsAre;
using testing::SizeIs;
using testing::StartsWith;

// The elements of an array of texts without commas; of any other text, the text.
std::vector<std::string> elementsOf(std::string text) {
  if (!text.starts_with('[')) return {std::move(text)};
  EXPECT_TRUE(text.ends_with(']'));
  std::vector<std::string> elements;
  std::istringstream in(text.substr(1, text.size() - 2));
  for (std::string element; std::getline(in, element, ',');) elements.push_back(std::move(element));
  return elements;
}

TEST(WebSocketJoin, SendsWhatWaitsTogetherAsAnArray) {
  SocketServer server;
  SocketClient client(server);
  client.sendText("join");
  client.sendText("burst 3 4");
  EXPECT_EQ(client.readText(), "[0 aa,1 aa,2 aa]");
  client.sendText("burst 1 4");
  EXPECT_EQ(client.readText(), "0 aa") << "one alone is as it is";
}

TEST(WebSocketJoin, WaitsAfterItHasSentSomething) {
  SocketServer server;
  SocketClient client(server);
  std::string frames = clientFrame(Opcode::text, "join");
  for (int i = 0; i < 2000; ++i) frames += clientFrame(Opcode::text, fmt::format("echo {}", i));
  client.tcp.send(frames);
  int received = 0;
  int messages = 0;
  while (received < 2000) {
    for (const std::string& element : elementsOf(client.readText())) {
      ASSERT_EQ(element, fmt::format("echo {}", received++));
    }
    ++messages;
  }
  EXPECT_LT(messages, 200);
}

TEST(WebSocketJoin, SendsLargeMessagesAndOtherFramesAlone) {
  SocketServer server;
  SocketClient client(server);
  client.tcp.send(clientFrame(Opcode::text, "join") + clientFrame(Opcode::text, "burst 2 10") +
                  clientFrame(Opcode::text, "burst 2 1025") + clientFrame(Opcode::ping, "here?") +
                  clientFrame(Opcode::text, "burst 2 10") + clientFrame(Opcode::text, "echo end"));
  std::vector<std::string> texts;
  int pongs = 0;
  for (std::string last; last != "echo end";) {
    Frame frame = client.frame();
    if (frame.is(Opcode::pong)) {
      ++pongs;
      continue;
    }
    ASSERT_TRUE(frame.is(Opcode::text));
    for (std::string& element : elementsOf(std::move(frame.payload))) texts.push_back(std::move(element));
    last = texts.back();
  }
  EXPECT_EQ(pongs, 1);
  EXPECT_THAT(texts, ElementsAre("0 aaaaaaaa", "1 aaaaaaaa", SizeIs(1025), SizeIs(1025), "0 aaaaaaaa", "1 aaaaaaaa",
                                 "echo end"));
  client.sendText("close 1000 bye");
  EXPECT_EQ(client.readText(), "last words");
  EXPECT_EQ(client.completeClose(), 1000);
}

TEST(WebSocketJoin, KeepsToItsLimits) {
  SocketServer server;
  SocketClient client(server, "", "", 4096);
  client.sendText("join");
  client.sendText("burst 200000 100");
  int received = 0;
  while (received < 200'000) {
    const std::string text = client.readText();
    ASSERT_LE(text.size(), kMaxJoinedBytes + kMaxJoinedBytes / 100 + 2);
    for (const std::string& element : elementsOf(text)) {
      ASSERT_THAT(element, StartsWith(fmt::format("{} ", received++)));
      ASSERT_EQ(element.size(), 100U);
    }
  }
  EXPECT_GT(server.service.record.refused, 0) << "a slow client holds the sender back, as without joining";
  EXPECT_GT(server.service.record.drained, 0);
}

TEST(WebSocketJoin, EndsWhileSomethingWaits) {
  SocketServer server;
  for (int i = 0; i < 20; ++i) {
    SocketClient client(server);
    client.tcp.send(clientFrame(Opcode::text, "join") + clientFrame(Opcode::text, "echo a") +
                    clientFrame(Opcode::text, "echo b"));
    EXPECT_EQ(elementsOf(client.readText()).front(), "echo a");
  }
  EXPECT_TRUE(eventually([&] { return server.service.record.closed == 20; }));
}

}  // namespace
}  // namespace mb::http
