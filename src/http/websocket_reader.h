// A WebSocketReader parses the bytes of a client, in pieces of any size: frames, fragments, masks, UTF-8 and compressed
// messages. It checks every rule of RFC 6455, 5 and 7.4 that a client can break. Does not access a socket. Private to
// this module.
#pragma once

#include <optional>

#include "http/utf8_stream.h"
#include "http/websocket_frame.h"

namespace mb::http {

class WebSocketReader {
 public:
  enum class Event { needMore, text, ping, pong, close, failed };
  // The close code and reason after failed.
  struct Failure {
    uint16_t code;
    std::string_view reason;  // a literal
  };

  // `maxMessage` in bytes, of a whole inflated message.
  WebSocketReader(size_t maxMessage, bool deflate) : maxMessage_(maxMessage), deflate_(deflate) {}

  // Consumes bytes from the front of `bytes`; removes masks in place. Returns at the first event, or with needMore when
  // no bytes are left. Must not be called after close or failed.
  Event read(std::span<char>& bytes);

  // After text: the message, well-formed UTF-8. Call once per message.
  std::string takeMessage() { return std::exchange(message_, {}); }
  // After ping, pong and close: the payload, until the next read().
  std::string_view control() const { return {control_.data(), controlSize_}; }
  // After close: the code; kNoStatus if the client sent none.
  uint16_t closeCode() const;
  const Failure& failure() const { return failure_; }

  // Drops the incomplete message; read() must not be called after it.
  void drop() { std::string().swap(message_); }
  // Memory that an incomplete message occupies here, in bytes.
  size_t held() const { return message_.capacity() > kOwnCapacity ? message_.capacity() : 0; }
  // Whether a frame or a message has begun and not ended.
  bool midMessage() const { return headSize_ > 0 || inPayload_ || inMessage_; }

 private:
  static constexpr size_t kOwnCapacity = 22;  // of a string's inline buffer

  bool fail(uint16_t code, std::string_view reason);
  bool readHead(std::span<char>& bytes);
  bool checkStart();
  bool checkMessageFrame(bool compressed);
  bool checkLength();
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
  uint8_t headSize_ = 0;   // bytes of it that have arrived; 0 once its payload begins
  uint8_t headNeeds_ = 2;  // grows when the length of the head is known
  bool inPayload_ = false;
  bool inMessage_ = false;   // a data frame has arrived, and the final one has not ended
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
