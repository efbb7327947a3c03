// Input: arbitrary bytes as a message, compressed or marked as compressed, in arbitrary fragments. The reader must
// return the same text if it is UTF-8 and within the limit, and fail with the right close code otherwise.
#include <cstdlib>

#include "base/utf8.h"
#include "http/websocket.h"
#include "http/websocket_deflate.h"
#include "http/websocket_fixture.h"
#include "http/websocket_message.h"
#include "http/websocket_reader.h"

namespace {

using mb::http::Inflated;
using mb::http::WebSocketReader;
using Event = WebSocketReader::Event;

constexpr size_t kMaxMessage = 4096;

void require(bool condition) {
  if (!condition) std::abort();
}

// Returns one message in frames whose lengths follow from `cuts`.
std::string inFragments(std::string_view payload, bool compressed, std::string_view cuts) {
  using mb::http::Opcode;
  std::string bytes;
  auto opcode = Opcode::text;
  for (const char cut : cuts) {
    const std::string_view part = payload.substr(0, static_cast<uint8_t>(cut));
    payload.remove_prefix(part.size());
    const auto reserved = static_cast<uint8_t>(compressed && opcode == Opcode::text ? mb::http::kCompressedBit : 0);
    bytes += clientFrame(opcode, part, {.final = false, .reserved = reserved});
    opcode = Opcode::continuation;
  }
  const auto reserved = static_cast<uint8_t>(compressed && opcode == Opcode::text ? mb::http::kCompressedBit : 0);
  return bytes + clientFrame(opcode, payload, {.final = true, .reserved = reserved});
}

// Returns the reader's result: the message, or the code of its failure.
std::pair<std::string, uint16_t> read(std::string bytes) {
  WebSocketReader reader(kMaxMessage, true);
  std::span<char> left(bytes);
  const Event event = reader.read(left);
  if (event == Event::failed) return {"", reader.failure().code};
  require(event == Event::text && left.empty());
  return {reader.takeMessage(), 0};
}

void requireOutcome(const std::pair<std::string, uint16_t>& outcome, std::string_view text) {
  if (text.size() > kMaxMessage) {
    require(outcome.second == mb::http::closeCode::kMessageTooBig || !mb::isUtf8(text));
  } else if (!mb::isUtf8(text)) {
    require(outcome.second == mb::http::closeCode::kInvalidPayload);
  } else {
    require(outcome.second == 0 && outcome.first == text);
  }
}

// Sends the text plain and compressed.
void send(std::string_view text, std::string_view cuts) {
  requireOutcome(read(inFragments(text, false, cuts)), text);
  const std::string payload = mb::http::deflateMessage(text).value();
  requireOutcome(read(inFragments(payload, true, cuts)), text);
  std::string inflated;
  require(mb::http::inflateMessage(payload, text.size(), inflated) == Inflated::done && inflated == text);
  const auto message = mb::http::makeTextMessage(std::string(text));
  require(payloadOf(*message) == text && message->wire(true).size() <= message->wire(false).size());
}

// Sends the bytes as a message that is marked as compressed.
void inflate(std::string_view payload, std::string_view cuts) {
  std::string text;
  const Inflated result = mb::http::inflateMessage(payload, kMaxMessage, text);
  require(text.size() <= kMaxMessage + (16U << 10));
  const auto outcome = read(inFragments(payload, true, cuts));
  // A small text can have a large payload of empty blocks.
  if (payload.size() > kMaxMessage && outcome.second == mb::http::closeCode::kMessageTooBig) return;
  if (result == Inflated::done) return requireOutcome(outcome, text);
  require(outcome.second == mb::http::closeCode::kMessageTooBig ||
          (result == Inflated::broken && outcome.second == mb::http::closeCode::kInvalidPayload));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const size_t cuts = std::min<size_t>(static_cast<uint8_t>(bytes[0]) % 8, size - 1);
  send(bytes.substr(1 + cuts), bytes.substr(1, cuts));
  inflate(bytes.substr(1 + cuts), bytes.substr(1, cuts));
  return 0;
}
