// UTF-8 that comes in pieces (RFC 3629): says at the first wrong byte that it is wrong. Private to this module.
#pragma once

#include <cstdint>
#include <string_view>

namespace mb::http {

class Utf8Stream {
 public:
  // What follows what was fed so far. False when no continuation can make it well-formed; then only reset() helps.
  bool feed(std::string_view piece);
  // Whether what was fed ends with a whole character.
  bool whole() const { return missing_ == 0; }
  void reset() { *this = {}; }

 private:
  bool begin(uint8_t first);

  // Of the character under way: how many bytes are missing, and between what the next must be.
  uint8_t missing_ = 0;
  uint8_t lowest_ = 0x80;
  uint8_t highest_ = 0xBF;
};

}  // namespace mb::http
