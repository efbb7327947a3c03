// Input: arbitrary bytes as requests that arrive in arbitrary pieces. The parser must not crash or exceed its limits,
// views must stay inside the bytes, and the pieces must not change the result.
#include <cstdlib>

#include "http/request_parser.h"
#include "http/websocket.h"

namespace {

using mb::http::Request;
using mb::http::RequestParser;
using Status = RequestParser::Status;

constexpr size_t kMaxHead = 2048;
constexpr size_t kMaxHeaders = 20;
constexpr size_t kMaxBody = 4096;

void require(bool condition) {
  if (!condition) std::abort();
}

// The whole result of parsing, to compare it across arrivals. `text` is the request, or the error's code.
struct Outcome {
  Status status = Status::needMore;
  std::string text;
  std::string body;
  size_t used = 0;

  bool operator==(const Outcome&) const = default;
};

void checkViews(const Request& request, std::string_view bytes) {
  const auto inside = [bytes](std::string_view view) {
    require(view.empty() || (view.data() >= bytes.data() && view.data() + view.size() <= bytes.data() + bytes.size()));
  };
  inside(request.target);
  inside(request.query);
  require(!request.path.empty());
  for (const auto& header : request.headers) {
    inside(header.name);
    inside(header.value);
    require(!header.name.empty());
    require(header.value.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos);
  }
  require(request.headers.size() <= kMaxHeaders);
}

std::string describe(const Request& request, const mb::http::Framing& framing) {
  std::string out(mb::http::methodName(request.method));
  for (const std::string_view part : {request.target, request.path, request.query}) (out += '|') += part;
  for (const auto& [name, value] : request.headers) ((out += '|') += name) += value;
  out += std::to_string(framing.headBytes) + "," + std::to_string(framing.contentLength);
  for (const bool flag : {framing.chunked, framing.keepAlive, framing.http10, framing.expectsContinue})
    out += flag ? 'y' : 'n';
  return out;
}

// How bytes arrive: all at once, one by one, or in pieces of up to 64 bytes. The sizes of pieces follow from a hash of
// the bytes, so that an input is a plain request.
enum class Arrival { atOnce, oneByOne, inPieces };

Outcome parse(std::string_view bytes, Arrival arrival) {
  Outcome outcome;
  RequestParser parser(kMaxHead, kMaxHeaders);
  size_t have = 0;
  size_t chance = std::hash<std::string_view>()(bytes);
  const auto more = [&] {
    chance = chance * 6364136223846793005 + 1442695040888963407;
    const size_t piece = arrival == Arrival::inPieces ? 1 + (chance >> 58) : 1;
    have = arrival == Arrival::atOnce ? bytes.size() : std::min(bytes.size(), have + piece);
  };
  do {
    more();
    const std::string moved(bytes.substr(0, have));
    outcome.status = parser.parseHead(moved);
  } while (outcome.status == Status::needMore && have < bytes.size());
  if (outcome.status == Status::needMore) return outcome;
  if (outcome.status == Status::done) {
    Request request;
    parser.fill(request, bytes);
    checkViews(request, bytes);
    outcome.used = parser.framing().headBytes;
    require(outcome.used <= std::min(have, kMaxHead));
    outcome.text = describe(request, parser.framing());
    if (mb::http::checkWebSocketUpgrade(request)) outcome.text += "upgrade";
    while (parser.framing().chunked) {
      size_t consumed = 0;
      const std::string moved(bytes.substr(outcome.used, have - outcome.used));
      outcome.status = parser.parseChunks(moved, consumed, outcome.body, kMaxBody);
      require(outcome.body.size() <= kMaxBody && consumed <= moved.size());
      outcome.used += consumed;
      if (outcome.status != Status::needMore || have == bytes.size()) break;
      more();
    }
  }
  if (outcome.status == Status::failed) {
    const mb::Error error = parser.takeError();
    outcome.text = std::string(mb::meaningOf(error.code()).wire);
    // The number of bytes read of a refused request depends on the pieces.
    outcome.body.clear();
    outcome.used = 0;
  }
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.empty()) return 0;
  const Outcome whole = parse(bytes, Arrival::atOnce);
  require(whole == parse(bytes, Arrival::oneByOne));
  require(whole == parse(bytes, Arrival::inPieces));
  return 0;
}
