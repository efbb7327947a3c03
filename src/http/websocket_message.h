// The message behind a WebSocketMessagePtr: a plain frame and, once needed, its compressed form, sent by any number of
// sockets of a core. Private to this module.
#pragma once

#include <span>
#include <string>

#include "http/websocket.h"

namespace mb::http {

class WebSocketMessage {
 public:
  // A frame as it is, without a compressed form.
  explicit WebSocketMessage(std::string frame) : plain_(std::move(frame)), payloadAt_(plain_.size()) {}
  WebSocketMessage(std::string frame, size_t payloadAt) : plain_(std::move(frame)), payloadAt_(payloadAt) {}

  // The bytes to send to a socket; `deflate`: the socket negotiated per-message deflate. The compressed form is created
  // on the first such call, and used only if it is smaller.
  std::string_view wire(bool deflate) const {
    if (!deflate || payload().size() <= kDeflateFrom) return plain_;
    if (!tried_) compress();
    return deflated_.empty() ? plain_ : deflated_;
  }
  // Whether it may be an element of joinMessages()'s array: a text that no socket gets compressed.
  bool joinable() const { return !payload().empty() && payload().size() <= kDeflateFrom; }
  std::string_view payload() const { return std::string_view(plain_).substr(payloadAt_); }

  // Counts the sockets whose queues hold the message, so that its memory is counted once.
  bool held() const { return holders_ > 0; }
  void hold() const { ++holders_; }
  // True if no queue holds the message any more.
  bool release() const { return --holders_ == 0; }
  size_t bytes() const { return plain_.size() + deflated_.size(); }

 private:
  static constexpr size_t kDeflateFrom = 1024;

  void compress() const;

  const std::string plain_;
  const size_t payloadAt_;
  // Used by one core only, so that these mutable members need no lock.
  mutable std::string deflated_;
  mutable bool tried_ = false;
  mutable uint32_t holders_ = 0;
};

// A message whose text is the JSON array of the messages' texts, never compressed.
WebSocketMessagePtr joinMessages(std::span<const WebSocketMessagePtr> messages);

}  // namespace mb::http
