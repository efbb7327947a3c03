// The chunked transfer coding (RFC 9112, 7.1), strictly: sizes of up to 16 hexadecimal digits with nothing around them,
// no line feed alone, no control characters in extensions; extensions and trailers are skipped. Private to this module.
//
// Why not Beast's: its parser aborts on an assertion when a body's last chunk arrives in small pieces (Boost 1.81,
// basic_parser.ipp, "n >= 5"), accepts line feeds in quoted extensions, and reads trailers as headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mb::http {

class ChunkDecoder {
 public:
  enum class Status { needMore, done, malformed, tooLarge };

  // Forgets the last body. `maxLine` bounds one chunk's first line, and all trailers together.
  void reset(size_t maxLine);
  // Consumes all of `data` with needMore, up to the body's end with done; `consumed` is the number of bytes. Appends
  // the content to `body`, which may grow to `limit` bytes.
  Status decode(std::string_view data, size_t& consumed, std::string& body, size_t limit);

 private:
  enum class State {
    size,
    extension,
    sizeFeed,
    content,
    contentReturn,
    contentFeed,
    trailer,  // at the beginning of a line
    trailerName,
    trailerValue,
    trailerFeed,
    lastFeed,
    done,
  };

  Status takeByte(char c, size_t room);
  Status takeSizeDigit(char c, size_t room);
  Status startTrailer(char c);

  State state_ = State::size;
  uint64_t left_ = 0;  // of this chunk's content
  int digits_ = 0;
  size_t line_ = 0;     // bytes of this chunk's first line, or of the trailers
  size_t framing_ = 0;  // bytes that were not content
  size_t content_ = 0;
  size_t maxLine_ = 0;
};

}  // namespace mb::http
