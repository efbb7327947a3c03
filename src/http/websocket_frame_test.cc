#include "http/websocket_frame.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace mb::http {
namespace {

using namespace std::string_literals;

TEST(WebSocketFrame, HeadsTakeTheFewestBytes) {
  const struct {
    size_t length;
    std::string head;
  } cases[] = {
      {0, "\x81\x00"s},
      {1, "\x81\x01"s},
      {125, "\x81\x7D"s},
      {126, "\x81\x7E\x00\x7E"s},
      {0xFFFF, "\x81\x7E\xFF\xFF"s},
      {0x10000, "\x81\x7F\x00\x00\x00\x00\x00\x01\x00\x00"s},
      {0x0102030405060708, "\x81\x7F\x01\x02\x03\x04\x05\x06\x07\x08"s},
  };
  for (const auto& [length, head] : cases) {
    std::string out;
    appendFrameHead(out, kFinalBit | static_cast<uint8_t>(Opcode::text), length);
    EXPECT_EQ(out, head) << length;
  }
}

TEST(WebSocketFrame, MasksByteForByteWhereverAPieceBegins) {
  const Mask mask{0x01, 0x80, 0xFF, 0x3C};
  for (size_t at = 0; at < 9; ++at) {
    for (size_t size = 0; size < 40; ++size) {
      std::string bytes;
      for (size_t i = 0; i < size; ++i) bytes += static_cast<char>(i * 37 + 5);
      std::string expected = bytes;
      for (size_t i = 0; i < size; ++i) expected[i] = static_cast<char>(expected[i] ^ mask[(at + i) % 4]);
      applyMask(bytes, mask, at);
      ASSERT_EQ(bytes, expected) << at << " " << size;
    }
  }
}

TEST(WebSocketFrame, ControlFramesHoldAtMost125Bytes) {
  EXPECT_EQ(controlFrame(Opcode::ping, ""), "\x89\x00"s);
  EXPECT_EQ(controlFrame(Opcode::pong, "abc"), "\x8A\x03"s + "abc");
  const std::string longest = controlFrame(Opcode::pong, std::string(200, 'a'));
  EXPECT_EQ(longest.size(), 127U);
  EXPECT_EQ(longest[1], 125);
}

TEST(WebSocketFrame, CloseFramesCutTheReasonAtACharacter) {
  EXPECT_EQ(closeFrame(1000, ""), "\x88\x02\x03\xE8"s);
  EXPECT_EQ(closeFrame(4999, "why"), "\x88\x05\x13\x87why"s);
  EXPECT_EQ(closeFrame(kNoStatus, "not said"), "\x88\x00"s);
  for (size_t before = 118; before <= 124; ++before) {
    const std::string frame = closeFrame(1008, std::string(before, 'a') + "\u20ac and more");
    EXPECT_LE(frame.size(), 2U + kMaxControl);
    EXPECT_TRUE(isUtf8(std::string_view(frame).substr(4))) << before;
    EXPECT_EQ(static_cast<size_t>(frame[1]), frame.size() - 2);
  }
}

TEST(WebSocketFrame, KnowsTheCodesThatAPeerMayGive) {
  const uint16_t good[] = {1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010,
                           1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999};
  for (const uint16_t code : good) EXPECT_TRUE(isCloseCode(code)) << code;
  const uint16_t bad[] = {0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535};
  for (const uint16_t code : bad) EXPECT_FALSE(isCloseCode(code)) << code;
}

}  // namespace
}  // namespace mb::http
