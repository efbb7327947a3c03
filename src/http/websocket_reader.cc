#include "http/websocket_reader.h"

#include "http/websocket.h"
#include "http/websocket_deflate.h"

namespace mb::http {

namespace {

constexpr size_t kLengthBits = 0x7F;
constexpr uint8_t kReservedBits = 0x30;
// Bytes by which incompressible text may grow (zlib: 5 bytes for 16 KiB, and the flush).
constexpr size_t kDeflateGrowth = 64;

uint64_t bigEndian(const uint8_t* bytes, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; ++i) value = (value << 8) | bytes[i];
  return value;
}

// The size of the extended length that follows the first length of a frame.
uint8_t extendedLength(size_t first) {
  return first == 127 ? 8 : first == 126 ? 2 : 0;
}

}  // namespace

bool WebSocketReader::fail(uint16_t code, std::string_view reason) {
  failed_ = true;
  failure_ = {code, reason};
  return false;
}

uint16_t WebSocketReader::closeCode() const {
  if (controlSize_ < 2) return kNoStatus;
  return static_cast<uint16_t>(bigEndian(reinterpret_cast<const uint8_t*>(control_.data()), 2));
}

WebSocketReader::Event WebSocketReader::read(std::span<char>& bytes) {
  while (!failed_ && (!bytes.empty() || (inPayload_ && taken_ == length_))) {
    if (!inPayload_) {
      inPayload_ = readHead(bytes);
      continue;
    }
    const std::span<char> piece = bytes.first(std::min<size_t>(bytes.size(), length_ - taken_));
    bytes = bytes.subspan(piece.size());
    applyMask(piece, mask_, taken_);
    taken_ += piece.size();
    if (!takePayload(piece)) break;
    if (taken_ < length_) continue;
    inPayload_ = false;
    if (const Event event = endFrame(); event != Event::needMore) return event;
  }
  return failed_ ? Event::failed : Event::needMore;
}

// True if the head is complete and its payload begins. Reports an error as early as possible.
bool WebSocketReader::readHead(std::span<char>& bytes) {
  while (!bytes.empty()) {
    head_[headSize_++] = static_cast<uint8_t>(bytes.front());
    bytes = bytes.subspan(1);
    if (headSize_ == 2) {
      if (!checkStart()) return false;
      headNeeds_ = 2 + extendedLength(head_[1] & kLengthBits) + static_cast<uint8_t>(mask_.size());
    }
    if (headSize_ < headNeeds_) continue;
    if (!checkLength()) return false;
    std::copy_n(head_.begin() + headNeeds_ - mask_.size(), mask_.size(), mask_.begin());
    headSize_ = 0;
    headNeeds_ = 2;
    taken_ = 0;
    return true;
  }
  return false;
}

// The first two bytes of a frame (5.2).
bool WebSocketReader::checkStart() {
  if ((head_[0] & kReservedBits) != 0) return fail(closeCode::kProtocolError, "a reserved bit is set");
  if ((head_[1] & kMaskBit) == 0) return fail(closeCode::kProtocolError, "a client's frames are masked");
  const bool compressed = (head_[0] & kCompressedBit) != 0;
  switch (opcode()) {
    case Opcode::continuation:
    case Opcode::text:
    case Opcode::binary:
      return checkMessageFrame(compressed);
    case Opcode::close:
    case Opcode::ping:
    case Opcode::pong:
      if (compressed) return fail(closeCode::kProtocolError, "a reserved bit is set");
      if ((head_[0] & kFinalBit) == 0) return fail(closeCode::kProtocolError, "a control frame is not fragmented");
      if ((head_[1] & kLengthBits) > kMaxControl) {
        return fail(closeCode::kProtocolError, "a control frame has at most 125 bytes");
      }
      controlSize_ = 0;
      return true;
  }
  return fail(closeCode::kProtocolError, "an unknown opcode");
}

bool WebSocketReader::checkMessageFrame(bool compressed) {
  const bool first = opcode() != Opcode::continuation;
  if (first && inMessage_) return fail(closeCode::kProtocolError, "a message begins inside another");
  if (!first && !inMessage_) return fail(closeCode::kProtocolError, "a continuation of nothing");
  if (compressed && (!first || !deflate_)) return fail(closeCode::kProtocolError, "a reserved bit is set");
  if (opcode() == Opcode::binary) return fail(closeCode::kUnsupportedData, "only text messages are taken");
  if (first) {
    inMessage_ = true;
    compressed_ = compressed;
    message_.clear();
    utf8_.reset();
  }
  return true;
}

size_t WebSocketReader::maxPayload() const {
  return compressed_ ? maxMessage_ + maxMessage_ / 1024 + kDeflateGrowth : maxMessage_;
}

// The length must have the shortest encoding (5.2); a message above the limit is refused before it has arrived.
bool WebSocketReader::checkLength() {
  const size_t first = head_[1] & kLengthBits;
  const uint8_t extended = extendedLength(first);
  length_ = extended == 0 ? first : bigEndian(head_.data() + 2, extended);
  const bool longer = (extended == 2 && length_ < 126) || (extended == 8 && length_ <= 0xFFFF);
  if (longer || (length_ >> 63) != 0) return fail(closeCode::kProtocolError, "the length is not well-formed");
  if (!isControl() && length_ > maxPayload() - message_.size()) {
    return fail(closeCode::kMessageTooBig, "the message is too large");
  }
  return true;
}

bool WebSocketReader::takePayload(std::span<char> piece) {
  if (isControl()) {
    std::ranges::copy(piece, control_.begin() + controlSize_);
    controlSize_ += static_cast<uint8_t>(piece.size());
    return true;
  }
  const std::string_view text(piece.data(), piece.size());
  if (!compressed_ && !utf8_.feed(text)) return fail(closeCode::kInvalidPayload, "the text is not UTF-8");
  message_ += text;
  return true;
}

WebSocketReader::Event WebSocketReader::endFrame() {
  if (isControl()) return endControl();
  return (head_[0] & kFinalBit) != 0 ? endMessage() : Event::needMore;
}

WebSocketReader::Event WebSocketReader::endControl() {
  if (opcode() == Opcode::ping) return Event::ping;
  if (opcode() == Opcode::pong) return Event::pong;
  Utf8Stream reason;
  if (controlSize_ == 1 || (controlSize_ >= 2 && !isCloseCode(closeCode()))) {
    fail(closeCode::kProtocolError, "not a close code");
  } else if (controlSize_ > 2 && (!reason.feed(control().substr(2)) || !reason.whole())) {
    fail(closeCode::kInvalidPayload, "the reason is not UTF-8");
  }
  return failed_ ? Event::failed : Event::close;
}

WebSocketReader::Event WebSocketReader::endMessage() {
  inMessage_ = false;
  if (compressed_) {
    std::string inflated;
    const Inflated result = inflateMessage(message_, maxMessage_, inflated);
    message_ = std::move(inflated);
    if (result == Inflated::tooLarge) fail(closeCode::kMessageTooBig, "the message is too large");
    if (result == Inflated::broken) fail(closeCode::kInvalidPayload, "the message does not inflate");
    if (!failed_ && !utf8_.feed(message_)) fail(closeCode::kInvalidPayload, "the text is not UTF-8");
  }
  if (!failed_ && !utf8_.whole()) fail(closeCode::kInvalidPayload, "the text is not UTF-8");
  return failed_ ? Event::failed : Event::text;
}

}  // namespace mb::http
