#include "http/websocket_message.h"

#include <gtest/gtest.h>

#include "http/websocket_deflate.h"
#include "http/websocket_frame.h"

namespace mb::http {
namespace {

using namespace std::string_literals;

std::string json(size_t size) {
  std::string text = R"({"type":"event","items":[)";
  while (text.size() < size) text += R"({"name":"one of many"},)";
  text.resize(size);
  return text;
}

TEST(WebSocketMessage, IsFramedOnce) {
  const auto message = makeTextMessage("hello");
  EXPECT_EQ(message->wire(false), "\x81\x05hello");
  EXPECT_EQ(message->wire(true), "\x81\x05hello");
  EXPECT_EQ(payloadOf(*message), "hello");
  EXPECT_EQ(makeTextMessage("")->wire(false), "\x81\x00"s);
  const std::string large = json(70'000);
  EXPECT_EQ(makeTextMessage(large)->wire(false), "\x81\x7F\x00\x00\x00\x00\x00\x01\x11\x70"s + large);
}

TEST(WebSocketMessage, IsDeflatedOnceAndOnlyAboveAKibibyte) {
  EXPECT_EQ(makeTextMessage(json(1024))->wire(true).size(), 4U + 1024U);
  const std::string text = json(1025);
  const auto message = makeTextMessage(text);
  const size_t plain = message->bytes();
  const std::string_view wire = message->wire(true);
  EXPECT_EQ(static_cast<uint8_t>(wire[0]), 0xC1);
  EXPECT_LT(wire.size(), 200U);
  EXPECT_EQ(message->wire(true).data(), wire.data());
  EXPECT_GT(message->bytes(), plain);
  std::string inflated;
  EXPECT_EQ(inflateMessage(wire.substr(wire[1] == 126 ? 4 : 2), 4096, inflated), Inflated::done);
  EXPECT_EQ(inflated, text);
  EXPECT_EQ(message->wire(false).size(), 4U + text.size()) << "other sockets get it plain";
}

TEST(WebSocketMessage, GoesPlainWhereDeflatingDoesNotPay) {
  std::string noise;
  for (uint32_t n = 1; noise.size() < 2000; n = n * 1664525 + 1013904223) noise += static_cast<char>(n >> 24);
  const auto message = makeTextMessage(noise);
  EXPECT_EQ(message->wire(true), message->wire(false));
}

TEST(WebSocketMessage, IsJoinedWithOthersWhereSmall) {
  EXPECT_TRUE(makeTextMessage("1")->joinable());
  EXPECT_TRUE(makeTextMessage(json(1024))->joinable());
  EXPECT_FALSE(makeTextMessage(json(1025))->joinable());
  EXPECT_FALSE(makeTextMessage("")->joinable());
  EXPECT_FALSE(WebSocketMessage(controlFrame(Opcode::ping, {})).joinable());
  const WebSocketMessagePtr messages[] = {makeTextMessage("1"), makeTextMessage("{}"), makeTextMessage("[]")};
  const WebSocketMessagePtr joined = joinMessages(messages);
  EXPECT_EQ(joined->wire(true), "\x81\x09[1,{},[]]");
  EXPECT_FALSE(joined->joinable());
}

TEST(WebSocketMessage, KnowsWhetherAnybodyHoldsIt) {
  const auto message = makeTextMessage("shared");
  EXPECT_FALSE(message->held());
  message->hold();
  message->hold();
  EXPECT_TRUE(message->held());
  EXPECT_FALSE(message->release());
  EXPECT_TRUE(message->release());
  EXPECT_FALSE(message->held());
}

}  // namespace
}  // namespace mb::http
