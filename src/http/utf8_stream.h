// Validates UTF-8 that arrives in pieces (RFC 3629); reports an error at the first wrong byte. Private to this module.
#pragma once

#include <cstdint>
#include <string_view>

namespace mb::http {

class Utf8Stream {
 public:
  // Validates the next piece. False if no continuation can make the text well-formed; then call reset() before feed().
  bool feed(std::string_view piece);
  // Whether what was fed ends with a whole character.
  bool whole() const { return missing_ == 0; }
  void reset() { *this = {}; }

 private:
  bool begin(uint8_t first);

  // Of the current character: how many bytes are missing, and the bounds of the next byte.
  uint8_t missing_ = 0;
  uint8_t lowest_ = 0x80;
  uint8_t highest_ = 0xBF;
};

}  // namespace mb::http
