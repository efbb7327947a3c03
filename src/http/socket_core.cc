#include "http/socket_core.h"

#include "http/websocket_connection.h"

namespace mb::http {

namespace {

constexpr size_t kReadBytes = 16 << 10;
constexpr size_t kFlushedInARow = 256;  // then other work on the core runs

}  // namespace

SocketCore::SocketCore(asio::io_context& core, const ServerSettings& s, size_t share)
    : settings(s), memory(share), core_(core), timer_(core.get_executor()) {}

std::span<char> SocketCore::readBuffer() {
  if (!buffer_) buffer_ = std::make_unique_for_overwrite<char[]>(kReadBytes);
  return {buffer_.get(), kReadBytes};
}

void SocketCore::touch(WebSocketConnection& socket) {
  touched_.push_back(&socket);
  if (!flushing_) flushLater();
}

void SocketCore::touchLater(WebSocketConnection& socket) {
  later_.push_back(&socket);
  if (later_.size() > 1) return;
  timer_.expires_after(kJoinInterval);
  timer_.async_wait([self = shared_from_this()](const boost::system::error_code&) {
    self->touched_.insert(self->touched_.end(), self->later_.begin(), self->later_.end());
    self->later_.clear();
    if (!self->flushing_) self->flush();
  });
}

void SocketCore::add(WebSocketConnection& socket) {
  sockets_.push_back(socket);
}

void SocketCore::forget(WebSocketConnection& socket) {
  std::ranges::replace(touched_, &socket, nullptr);
  std::ranges::replace(later_, &socket, nullptr);
}

void SocketCore::evictLargest() {
  WebSocketConnection* largest = nullptr;
  for (CoreHook& hook : sockets_) {
    auto& socket = static_cast<WebSocketConnection&>(hook);
    if (socket.evictableBytes() > (largest == nullptr ? 0 : largest->evictableBytes())) largest = &socket;
  }
  if (largest != nullptr) largest->evict();
}

// The posted flush runs after all handlers that are ready now: messages of these handlers are sent together.
void SocketCore::flushLater() {
  flushing_ = true;
  asio::post(core_, [self = shared_from_this()] { self->flush(); });
}

void SocketCore::flush() {
  flushing_ = false;
  // By index: a flush may touch other sockets.
  size_t at = 0;
  for (; at < touched_.size() && at < kFlushedInARow; ++at) {
    if (WebSocketConnection* const socket = touched_[at]) socket->flush();
  }
  touched_.erase(touched_.begin(), touched_.begin() + static_cast<ptrdiff_t>(at));
  if (!touched_.empty() && !flushing_) flushLater();
}

}  // namespace mb::http
