// What a client sends over a WebSocket, out of bytes in any pieces: frames, fragments, masks, UTF-8, compressed
// messages, and every rule of RFC 6455, 5 and 7.4 that a client can break. Knows no socket. Private to this module.
#pragma once

#include <optional>

#include "http/utf8_stream.h"
#include "http/websocket_frame.h"

namespace mb::http {

class WebSocketReader {
 public:
  enum class Event { needMore, text, ping, pong, close, failed };
  // How to close after failed.
  struct Failure {
    uint16_t code;
    std::string_view reason;  // a literal
  };

  // `maxMessage` in bytes, of a whole message as it reads inflated.
  WebSocketReader(size_t maxMessage, bool deflate) : maxMessage_(maxMessage), deflate_(deflate) {}

  // Reads on at the front of `bytes` and takes what it has read off them; masks come off in place. Ends with the first
  // event, or with needMore when there are no bytes left. After close and failed nothing more is to be read.
  Event read(std::span<char>& bytes);

  // After text: the message, well-formed UTF-8. Once.
  std::string takeMessage() { return std::exchange(message_, {}); }
  // After ping, pong and close: the payload, until the next read().
  std::string_view control() const { return {control_.data(), controlSize_}; }
  // After close: kNoStatus where the client gave none.
  uint16_t closeCode() const;
  const Failure& failure() const { return failure_; }

  // Forgets the message that is not whole; nothing is to be read after that.
  void drop() { std::string().swap(message_); }
  // Bytes of a message that is not whole yet, as kept here.
  size_t held() const { return message_.capacity() > kOwnCapacity ? message_.capacity() : 0; }
  // Whether a frame or a message has begun and not ended.
  bool midMessage() const { return headSize_ > 0 || inPayload_ || inMessage_; }

 private:
  static constexpr size_t kOwnCapacity = 22;  // what a string holds in itself

  bool fail(uint16_t code, std::string_view reason);
  bool readHead(std::span<char>& bytes);
  bool judgeStart();
  bool judgeMessageFrame(bool compressed);
  bool judgeLength();
  bool takePayload(std::span<char> piece);
  Event endFrame();
  Event endControl();
  Event endMessage();
  bool isControl() const { return (head_[0] & 0x08) != 0; }
  Opcode opcode() const { return static_cast<Opcode>(head_[0] & 0x0F); }
  size_t maxPayload() const;

  const size_t maxMessage_;
  const bool deflate_;
  std::array<uint8_t, kMaxHead> head_{};
  uint8_t headSize_ = 0;   // bytes of it that have come; 0 once its payload begins
  uint8_t headNeeds_ = 2;  // grows as the head says how long it is
  bool inPayload_ = false;
  bool inMessage_ = false;   // a data frame has come, its final one has not ended
  bool compressed_ = false;  // the message
  bool failed_ = false;
  uint8_t controlSize_ = 0;
  Utf8Stream utf8_;
  Mask mask_{};
  uint64_t length_ = 0;  // of the frame's payload
  uint64_t taken_ = 0;   // of it
  std::string message_;
  std::array<char, kMaxControl> control_{};
  Failure failure_{};
};

}  // namespace mb::http
