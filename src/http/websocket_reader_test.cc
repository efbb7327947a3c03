// The rules of RFC 6455 for what a client sends, by section, each however its bytes arrive.
#include "http/websocket_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/websocket.h"
#include "http/websocket_deflate.h"
#include "http/websocket_fixture.h"

namespace mb::http {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;

using Event = WebSocketReader::Event;

constexpr size_t kMaxMessage = 4000;

// The events that some bytes cause, until the bytes or the reader end.
std::vector<std::string> readIn(std::string_view bytes, size_t step, bool deflate) {
  WebSocketReader reader(kMaxMessage, deflate);
  std::vector<std::string> told;
  for (size_t at = 0; at < bytes.size(); at += step) {
    std::string piece(bytes.substr(at, step));
    std::span<char> left(piece);
    for (Event event = reader.read(left); event != Event::needMore; event = reader.read(left)) {
      if (event == Event::text) told.push_back("text " + reader.takeMessage());
      if (event == Event::ping) told.push_back("ping " + std::string(reader.control()));
      if (event == Event::pong) told.push_back("pong " + std::string(reader.control()));
      if (event == Event::close) told.push_back("close " + std::to_string(reader.closeCode()));
      if (event == Event::failed) told.push_back("failed " + std::to_string(reader.failure().code));
      if (event == Event::close || event == Event::failed) return told;
    }
    EXPECT_TRUE(left.empty());
  }
  return told;
}

std::vector<std::string> read(std::string_view bytes, bool deflate = false) {
  std::vector<std::string> told = readIn(bytes, bytes.size(), deflate);
  for (const size_t step : {1, 2, 3, 7, 64, 1000}) EXPECT_EQ(readIn(bytes, step, deflate), told) << step;
  return told;
}

std::string text(std::string_view payload) {
  return clientFrame(Opcode::text, payload);
}
std::string part(Opcode opcode, std::string_view payload) {
  return clientFrame(opcode, payload, {.final = false});
}
std::string compressed(std::string_view message, bool final = true) {
  return clientFrame(Opcode::text, deflateMessage(message).value(), {.final = final, .reserved = kCompressedBit});
}

TEST(WebSocketReader, Section5_2ReadsMessagesOfEveryLengthForm) {
  for (const size_t size : {0, 1, 125, 126, 127, 1000, 4000}) {
    const std::string message(size, 'm');
    EXPECT_THAT(read(text(message) + text("next")), ElementsAre("text " + message, "text next"));
  }
}

TEST(WebSocketReader, Section5_2RefusesReservedBitsAndOpcodes) {
  for (const uint8_t bit : {0x10, 0x20, 0x30, 0x40, 0x70}) {
    EXPECT_THAT(read(text("a") + clientFrame(Opcode::text, "b", {.reserved = bit})),
                ElementsAre("text a", "failed 1002"));
    EXPECT_THAT(read(clientFrame(Opcode::ping, "b", {.reserved = bit})), ElementsAre("failed 1002"));
  }
  for (const int opcode : {3, 4, 5, 6, 7, 11, 12, 13, 14, 15}) {
    EXPECT_THAT(read(clientFrame(static_cast<uint8_t>(opcode), "")), ElementsAre("failed 1002")) << opcode;
  }
}

TEST(WebSocketReader, Section5_2RefusesLengthsThatTakeTooManyBytes) {
  const std::string mask = "mask";
  for (const std::string& bytes : {
           "\x81\xFE\x00\x7D"s + mask,                          // 125 in two bytes
           "\x81\xFE\x00\x00"s + mask,                          // 0 in two
           "\x81\xFF\x00\x00\x00\x00\x00\x00\xFF\xFF"s + mask,  // 65,535 in eight
           "\x81\xFF\x80\x00\x00\x00\x00\x00\x00\x00"s + mask,  // the highest bit
           "\x81\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s + mask,
       }) {
    EXPECT_THAT(read(bytes), ElementsAre("failed 1002"));
  }
}

TEST(WebSocketReader, Section5_1RefusesFramesWithoutAMask) {
  EXPECT_THAT(read("\x81\x05hello"), ElementsAre("failed 1002"));
  EXPECT_THAT(read(text("a") + "\x89\x00"s), ElementsAre("text a", "failed 1002"));
}

TEST(WebSocketReader, Section5_3TakesEveryMaskOff) {
  for (const Mask mask : {Mask{0, 0, 0, 0}, Mask{255, 255, 255, 255}, Mask{1, 2, 3, 4}, Mask{0x81, 0, 0x7F, 0x80}}) {
    EXPECT_THAT(read(clientFrame(Opcode::text, "what is masked", {.mask = mask})), ElementsAre("text what is masked"));
  }
}

TEST(WebSocketReader, Section5_4JoinsFragments) {
  EXPECT_THAT(read(part(Opcode::text, "one ") + part(Opcode::continuation, "two ") +
                   clientFrame(Opcode::continuation, "three") + text("four")),
              ElementsAre("text one two three", "text four"));
  EXPECT_THAT(read(part(Opcode::text, "") + part(Opcode::continuation, "") + clientFrame(Opcode::continuation, "")),
              ElementsAre("text "));
}

TEST(WebSocketReader, Section5_4TakesControlFramesBetweenFragments) {
  EXPECT_THAT(read(part(Opcode::text, "one ") + clientFrame(Opcode::ping, "p") + part(Opcode::continuation, "two ") +
                   clientFrame(Opcode::pong, "q") + clientFrame(Opcode::continuation, "three")),
              ElementsAre("ping p", "pong q", "text one two three"));
  EXPECT_THAT(read(part(Opcode::text, "one ") + clientFrame(Opcode::close, closePayload(1000))),
              ElementsAre("close 1000"));
}

TEST(WebSocketReader, Section5_4RefusesFragmentsOutOfOrder) {
  EXPECT_THAT(read(clientFrame(Opcode::continuation, "of nothing")), ElementsAre("failed 1002"));
  EXPECT_THAT(read(part(Opcode::continuation, "of nothing")), ElementsAre("failed 1002"));
  EXPECT_THAT(read(text("a") + clientFrame(Opcode::continuation, "b")), ElementsAre("text a", "failed 1002"));
  EXPECT_THAT(read(part(Opcode::text, "a") + text("b")), ElementsAre("failed 1002"));
  EXPECT_THAT(read(part(Opcode::text, "a") + part(Opcode::binary, "b")), ElementsAre("failed 1002"));
}

TEST(WebSocketReader, Section5_5ControlFramesAreShortAndWhole) {
  const std::string longest(125, 'p');
  EXPECT_THAT(read(clientFrame(Opcode::ping, longest)), ElementsAre("ping " + longest));
  EXPECT_THAT(read(clientFrame(Opcode::ping, longest + "p")), ElementsAre("failed 1002"));
  EXPECT_THAT(read(clientFrame(Opcode::pong, std::string(70'000, 'p'))), ElementsAre("failed 1002"));
  for (const Opcode opcode : {Opcode::ping, Opcode::pong, Opcode::close}) {
    EXPECT_THAT(read(part(opcode, "")), ElementsAre("failed 1002"));
  }
}

TEST(WebSocketReader, Section5_5_1ReadsCloseFrames) {
  EXPECT_THAT(read(clientFrame(Opcode::close, "")), ElementsAre("close 1005"));
  EXPECT_THAT(read(clientFrame(Opcode::close, closePayload(1000, "bye")) + text("unheard")), ElementsAre("close 1000"));
  EXPECT_THAT(read(clientFrame(Opcode::close, closePayload(4321, "\u00fc"))), ElementsAre("close 4321"));
  EXPECT_THAT(read(clientFrame(Opcode::close, closePayload(1001, std::string(123, 'r')))), ElementsAre("close 1001"));
}

TEST(WebSocketReader, Section7_4RefusesCloseCodesThatAreNone) {
  EXPECT_THAT(read(clientFrame(Opcode::close, "\x03")), ElementsAre("failed 1002"));
  for (const uint16_t code : {0, 999, 1004, 1005, 1006, 1015, 2000, 5000}) {
    EXPECT_THAT(read(clientFrame(Opcode::close, closePayload(code))), ElementsAre("failed 1002")) << code;
  }
  EXPECT_THAT(read(clientFrame(Opcode::close, closePayload(1000, "\xC3("))), ElementsAre("failed 1007"));
  EXPECT_THAT(read(clientFrame(Opcode::close, closePayload(1000, "\xE2\x82"))), ElementsAre("failed 1007"));
}

TEST(WebSocketReader, Section5_6TakesNoBinaryMessages) {
  EXPECT_THAT(read(clientFrame(Opcode::binary, "")), ElementsAre("failed 1003"));
  EXPECT_THAT(read(part(Opcode::binary, "begins")), ElementsAre("failed 1003"));
}

TEST(WebSocketReader, Section8_1TextIsUtf8AcrossFragments) {
  const std::string euro = "\u20ac";
  EXPECT_THAT(read(part(Opcode::text, euro.substr(0, 1)) + part(Opcode::continuation, euro.substr(1, 1)) +
                   clientFrame(Opcode::continuation, euro.substr(2))),
              ElementsAre("text " + euro));
  EXPECT_THAT(read(text("\xFF")), ElementsAre("failed 1007"));
  EXPECT_THAT(read(text(euro.substr(0, 2))), ElementsAre("failed 1007"));
  EXPECT_THAT(read(part(Opcode::text, euro.substr(0, 2)) + clientFrame(Opcode::continuation, "")),
              ElementsAre("failed 1007"));
  EXPECT_THAT(read(text(euro.substr(0, 2)) + text(euro.substr(2))), ElementsAre("failed 1007"))
      << "a character must not continue in the next message";
}

TEST(WebSocketReader, Section8_1FailsAsSoonAsTextCannotBeUtf8) {
  WebSocketReader reader(kMaxMessage, false);
  std::string bytes = part(Opcode::text, "fine") + part(Opcode::continuation, "\xED\xA0, and much more to come");
  bytes.resize(bytes.size() - 20);
  std::span<char> left(bytes);
  EXPECT_EQ(reader.read(left), Event::failed) << "before the frame has ended";
}

TEST(WebSocketReader, BoundsMessagesBeforeTheyCome) {
  const std::string half(kMaxMessage / 2, 'h');
  EXPECT_THAT(read(text(std::string(kMaxMessage + 1, 'a'))), ElementsAre("failed 1009"));
  EXPECT_THAT(read("\x81\xFF\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFFmask"), ElementsAre("failed 1009"));
  EXPECT_THAT(read(part(Opcode::text, half) + part(Opcode::continuation, half) + clientFrame(Opcode::continuation, "")),
              ElementsAre("text " + half + half));
  EXPECT_THAT(read(part(Opcode::text, half) + part(Opcode::continuation, half) + part(Opcode::continuation, "1")),
              ElementsAre("failed 1009"));
}

TEST(WebSocketReader, InflatesWhatIsAgreedToBeCompressed) {
  const std::string message = "again and again and again and again and again";
  EXPECT_THAT(read(compressed(message) + text("plain") + compressed(message), true),
              ElementsAre("text " + message, "text plain", "text " + message));
  EXPECT_THAT(read(compressed(""), true), ElementsAre("text "));
  const std::string payload = deflateMessage(message).value();
  EXPECT_THAT(read(clientFrame(Opcode::text, payload.substr(0, 3), {.final = false, .reserved = kCompressedBit}) +
                       clientFrame(Opcode::ping, "p") + clientFrame(Opcode::continuation, payload.substr(3)),
                   true),
              ElementsAre("ping p", "text " + message));
}

TEST(WebSocketReader, RefusesCompressionOutOfPlace) {
  const std::string message = "again and again and again";
  EXPECT_THAT(read(compressed(message)), ElementsAre("failed 1002")) << "not negotiated";
  EXPECT_THAT(
      read(part(Opcode::text, "a") + clientFrame(Opcode::continuation, "b", {.reserved = kCompressedBit}), true),
      ElementsAre("failed 1002"))
      << "only a message's first frame has the bit";
  EXPECT_THAT(read(clientFrame(Opcode::ping, "a", {.reserved = kCompressedBit}), true), ElementsAre("failed 1002"));
}

TEST(WebSocketReader, BoundsAndChecksWhatItInflates) {
  EXPECT_THAT(read(compressed(std::string(kMaxMessage, 'a')), true),
              ElementsAre("text " + std::string(kMaxMessage, 'a')));
  EXPECT_THAT(read(compressed(std::string(kMaxMessage + 1, 'a')), true), ElementsAre("failed 1009"));
  EXPECT_THAT(read(compressed(std::string(1 << 20, 'a')), true), ElementsAre("failed 1009"));
  EXPECT_THAT(read(compressed("broken \xC3("), true), ElementsAre("failed 1007"));
  EXPECT_THAT(read(compressed("cut off \xE2\x82"), true), ElementsAre("failed 1007"));
  EXPECT_THAT(read(clientFrame(Opcode::text, "\xFF\xFF\xFF", {.reserved = kCompressedBit}), true),
              ElementsAre("failed 1007"));
  EXPECT_THAT(read(clientFrame(Opcode::text, "", {.reserved = kCompressedBit}), true), ElementsAre("failed 1007"));
}

TEST(WebSocketReader, KeepsNothingBetweenMessages) {
  WebSocketReader reader(kMaxMessage, true);
  std::string bytes = text(std::string(3000, 'a')) + compressed(std::string(3000, 'b'));
  std::span<char> left(bytes);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(reader.read(left), Event::text);
    EXPECT_EQ(reader.takeMessage().size(), 3000U);
    EXPECT_EQ(reader.held(), 0U);
    EXPECT_FALSE(reader.midMessage());
  }
  std::string begun = part(Opcode::text, std::string(1000, 'c'));
  left = begun;
  EXPECT_EQ(reader.read(left), Event::needMore);
  EXPECT_GE(reader.held(), 1000U);
  EXPECT_TRUE(reader.midMessage());
}

}  // namespace
}  // namespace mb::http
