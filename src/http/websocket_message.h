// What WebSocketMessagePtr points to: one or two frames that any number of sockets of a core send. Private to this
// module.
#pragma once

#include <string>

#include "http/websocket.h"

namespace mb::http {

class WebSocketMessage {
 public:
  // A frame as it is, without a compressed form.
  explicit WebSocketMessage(std::string frame) : plain_(std::move(frame)), payloadAt_(plain_.size()) {}
  WebSocketMessage(std::string frame, size_t payloadAt) : plain_(std::move(frame)), payloadAt_(payloadAt) {}

  // The bytes for a socket; `deflate`: one with which that was agreed. The compressed form is made when the first such
  // socket asks, and only where it is smaller.
  std::string_view wire(bool deflate) const {
    if (!deflate || payload().size() <= kDeflateFrom) return plain_;
    if (!tried_) compress();
    return deflated_.empty() ? plain_ : deflated_;
  }
  std::string_view payload() const { return std::string_view(plain_).substr(payloadAt_); }

  // Sockets that have it in their queues: memory counts it once.
  bool held() const { return holders_ > 0; }
  void hold() const { ++holders_; }
  // True when nobody holds it any more.
  bool release() const { return --holders_ == 0; }
  size_t bytes() const { return plain_.size() + deflated_.size(); }

 private:
  static constexpr size_t kDeflateFrom = 1024;

  void compress() const;

  const std::string plain_;
  const size_t payloadAt_;
  // Of its core alone, so that what looks unchanging needs no lock.
  mutable std::string deflated_;
  mutable bool tried_ = false;
  mutable uint32_t holders_ = 0;
};

}  // namespace mb::http
