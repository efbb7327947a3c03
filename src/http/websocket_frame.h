// Frames of RFC 6455, 5: writes those of a server, and helps to read those of a client. Private to this module.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace mb::http {

enum class Opcode : uint8_t { continuation = 0, text = 1, binary = 2, close = 8, ping = 9, pong = 10 };

inline constexpr uint8_t kFinalBit = 0x80;
inline constexpr uint8_t kCompressedBit = 0x40;  // RSV1 of a message's first frame (RFC 7692, 6)
inline constexpr uint8_t kMaskBit = 0x80;
inline constexpr size_t kMaxHead = 14;      // of a masked frame
inline constexpr size_t kMaxControl = 125;  // payload of a control frame

using Mask = std::array<uint8_t, 4>;

// The head of a whole, unmasked message of `length` bytes; `second` bits are or-ed into the length's first byte.
void appendFrameHead(std::string& out, uint8_t first, size_t length, uint8_t second = 0);

// A control frame; of a longer payload the first 125 bytes.
std::string controlFrame(Opcode opcode, std::string_view payload);
// A close frame; the reason is truncated, at a character, to the 123 bytes that fit. kNoStatus: without a code.
std::string closeFrame(uint16_t code, std::string_view reason);

// A close frame without a code (RFC 6455, 7.1.5); never on the wire.
inline constexpr uint16_t kNoStatus = 1005;
// Whether a peer may send this code (RFC 6455, 7.4, and the codes that IANA added).
bool isCloseCode(uint16_t code);

// Applies or removes the mask. `at` is the offset of `bytes` in the payload.
void applyMask(std::span<char> bytes, const Mask& mask, uint64_t at);

}  // namespace mb::http
