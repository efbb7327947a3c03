// Input: arbitrary bytes as a client's frames that arrive in arbitrary pieces. The reader must not crash or exceed its
// limits, the pieces must not change the result, and a valid message must be read back.
#include <cstdlib>

#include "base/utf8.h"
#include "http/websocket_fixture.h"
#include "http/websocket_reader.h"

namespace {

using mb::http::clientFrame;
using mb::http::Opcode;
using mb::http::WebSocketReader;
using Event = WebSocketReader::Event;

constexpr size_t kMaxMessage = 2048;

void require(bool condition) {
  if (!condition) std::abort();
}

// How bytes arrive: all at once, one by one, or in pieces of up to 64 bytes. The sizes of pieces follow from a hash of
// the bytes, so that an input is plain frames.
enum class Arrival { atOnce, oneByOne, inPieces };

// Returns the whole result of reading the bytes, one line per event, to compare it across arrivals.
std::string read(std::string_view bytes, bool deflate, Arrival arrival) {
  WebSocketReader reader(kMaxMessage, deflate);
  std::string trace;
  size_t chance = std::hash<std::string_view>()(bytes);
  for (size_t at = 0; at < bytes.size();) {
    chance = chance * 6364136223846793005 + 1442695040888963407;
    const size_t size = arrival == Arrival::atOnce     ? bytes.size()
                        : arrival == Arrival::inPieces ? 1 + (chance >> 58)
                                                       : 1;
    std::string piece(bytes.substr(at, size));
    at += piece.size();
    std::span<char> left(piece);
    for (Event event = reader.read(left); event != Event::needMore; event = reader.read(left)) {
      trace += std::to_string(static_cast<int>(event)) + ":";
      if (event == Event::text) {
        const std::string message = reader.takeMessage();
        require(message.size() <= kMaxMessage && mb::isUtf8(message));
        trace += message;
      } else if (event == Event::failed) {
        require(mb::http::isCloseCode(reader.failure().code));
        return trace + std::to_string(reader.failure().code);
      } else {
        require(reader.control().size() <= mb::http::kMaxControl);
        trace += reader.control();
      }
      if (event == Event::close) return trace + std::to_string(reader.closeCode());
      trace += '\n';
    }
    require(left.empty());
    require(reader.held() <= kMaxMessage * 4);
  }
  return trace;
}

// Sends the bytes as the text of one message: its fragments and masks follow from the bytes, with a ping between them.
void readBack(std::string_view text) {
  if (text.size() < 4 || text.size() > kMaxMessage || !mb::isUtf8(text)) return;
  const mb::http::Mask mask{static_cast<uint8_t>(text[0]), static_cast<uint8_t>(text[1]), 0,
                            static_cast<uint8_t>(text[2])};
  const size_t first = static_cast<uint8_t>(text[3]) % text.size();
  std::string bytes = clientFrame(Opcode::text, text.substr(0, first), {.final = false, .mask = mask});
  bytes += clientFrame(Opcode::ping, text.substr(0, 100), {.mask = mask});
  bytes += clientFrame(Opcode::continuation, text.substr(first), {.mask = mask});
  const std::string expected = fmt::format("{}:{}\n{}:{}\n", static_cast<int>(Event::ping), text.substr(0, 100),
                                           static_cast<int>(Event::text), text);
  require(read(bytes, false, Arrival::inPieces) == expected);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.empty()) return 0;
  for (const bool deflate : {false, true}) {
    const std::string whole = read(bytes, deflate, Arrival::atOnce);
    require(whole == read(bytes, deflate, Arrival::oneByOne));
    require(whole == read(bytes, deflate, Arrival::inPieces));
  }
  readBack(bytes);
  return 0;
}
