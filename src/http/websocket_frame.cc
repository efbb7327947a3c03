#include "http/websocket_frame.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/utf8.h"

namespace mb::http {

namespace {

constexpr size_t kMaxReason = kMaxControl - 2;

void appendBigEndian(std::string& out, uint64_t value, int bytes) {
  for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift);
}

std::string_view cutAtCharacter(std::string_view text, size_t max) {
  if (text.size() <= max) return text;
  size_t end = 0;
  while (end < max) {
    const size_t length = utf8SequenceLength(text, end);
    if (length == 0 || end + length > max) break;
    end += length;
  }
  return text.substr(0, end);
}

}  // namespace

void appendFrameHead(std::string& out, uint8_t first, size_t length, uint8_t second) {
  out += static_cast<char>(first);
  if (length <= kMaxControl) {
    out += static_cast<char>(second | length);
  } else if (length <= 0xFFFF) {
    out += static_cast<char>(second | 126);
    appendBigEndian(out, length, 2);
  } else {
    out += static_cast<char>(second | 127);
    appendBigEndian(out, length, 8);
  }
}

std::string controlFrame(Opcode opcode, std::string_view payload) {
  payload = payload.substr(0, kMaxControl);
  std::string frame;
  frame.reserve(2 + payload.size());
  appendFrameHead(frame, kFinalBit | static_cast<uint8_t>(opcode), payload.size());
  frame += payload;
  return frame;
}

std::string closeFrame(uint16_t code, std::string_view reason) {
  std::string payload;
  if (code != kNoStatus) {
    appendBigEndian(payload, code, 2);
    payload += cutAtCharacter(reason, kMaxReason);
  }
  return controlFrame(Opcode::close, payload);
}

bool isCloseCode(uint16_t code) {
  if (code >= 3000 && code <= 4999) return true;
  return code >= 1000 && code <= 1014 && code != 1004 && code != 1005 && code != 1006;
}

void applyMask(std::span<char> bytes, const Mask& mask, uint64_t at) {
  Mask turned{};
  for (size_t i = 0; i < turned.size(); ++i) turned[i] = mask[(at + i) % mask.size()];
  uint32_t half = 0;
  std::memcpy(&half, turned.data(), sizeof half);
  const uint64_t whole = (uint64_t{half} << 32) | half;
  size_t i = 0;
  for (; i + sizeof whole <= bytes.size(); i += sizeof whole) {
    uint64_t eight = 0;
    std::memcpy(&eight, bytes.data() + i, sizeof eight);
    eight ^= whole;
    std::memcpy(bytes.data() + i, &eight, sizeof eight);
  }
  for (; i < bytes.size(); ++i) bytes[i] = static_cast<char>(bytes[i] ^ turned[i % turned.size()]);
}

}  // namespace mb::http
