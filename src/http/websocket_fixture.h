// A client's frames, for tests and fuzzers.
#pragma once

#include "http/websocket_frame.h"

namespace mb::http {

struct FrameOptions {
  bool final = true;
  uint8_t reserved = 0;  // RSV bits of the first byte
  Mask mask{0x12, 0xA5, 0x00, 0xFE};
};

// A masked frame of any opcode.
inline std::string clientFrame(uint8_t opcode, std::string_view payload, const FrameOptions& options = {}) {
  std::string frame;
  const auto first = static_cast<uint8_t>((options.final ? kFinalBit : 0) | options.reserved | opcode);
  appendFrameHead(frame, first, payload.size(), kMaskBit);
  frame.append(reinterpret_cast<const char*>(options.mask.data()), options.mask.size());
  std::string masked(payload);
  applyMask(masked, options.mask, 0);
  return frame + masked;
}

inline std::string clientFrame(Opcode opcode, std::string_view payload, const FrameOptions& options = {}) {
  return clientFrame(static_cast<uint8_t>(opcode), payload, options);
}

// The payload of a close frame.
inline std::string closePayload(uint16_t code, std::string_view reason = {}) {
  return std::string{static_cast<char>(code >> 8), static_cast<char>(code)} + std::string(reason);
}

}  // namespace mb::http
