#include "http/utf8_stream.h"

#include <cstring>

namespace mb::http {

namespace {

// How many bytes at the front are ASCII, in steps of eight.
size_t asciiRun(std::string_view text) {
  size_t at = 0;
  uint64_t eight = 0;
  while (at + sizeof eight <= text.size()) {
    std::memcpy(&eight, text.data() + at, sizeof eight);
    if ((eight & 0x8080808080808080) != 0) break;
    at += sizeof eight;
  }
  return at;
}

}  // namespace

bool Utf8Stream::feed(std::string_view piece) {
  size_t at = 0;
  while (at < piece.size()) {
    if (missing_ == 0) at += asciiRun(piece.substr(at));
    if (at == piece.size()) break;
    const auto byte = static_cast<uint8_t>(piece[at++]);
    if (missing_ == 0) {
      if (byte >= 0x80 && !begin(byte)) return false;
      continue;
    }
    if (byte < lowest_ || byte > highest_) return false;
    lowest_ = 0x80;
    highest_ = 0xBF;
    --missing_;
  }
  return true;
}

// The second byte shows overlong forms, surrogates and code points above U+10FFFF (RFC 3629, 4).
bool Utf8Stream::begin(uint8_t first) {
  if (first < 0xC2 || first > 0xF4) return false;
  missing_ = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
  lowest_ = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  highest_ = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  return true;
}

}  // namespace mb::http
