// Sends messages: they are queued and written together, in one system call if the system takes all.
#include <sys/socket.h>
#include <sys/uio.h>

#include "http/websocket_connection.h"

namespace mb::http {

namespace {

constexpr size_t kMaxParts = 64;       // messages in one call
constexpr size_t kRetainedSlots = 16;  // of an empty queue
constexpr size_t kCompactFrom = 64;

}  // namespace

bool WebSocketConnection::send(WebSocketMessagePtr message) {
  if (state_ != State::open) return false;
  if (!admits(*message, false)) {
    // The system may take the messages that are queued already.
    if (unsent_ > 0 && !waiting_ && sendNow() == Sent::failed) {
      abort();
      return false;
    }
    if (!admits(*message, true)) {
      refused_ = true;
      return false;
    }
  }
  push(std::move(message));
  return true;
}

// Whether the message may be queued. One larger than kMaxUnsentBytes may be if nothing else is unsent. `evicting`: if
// the memory is exhausted and this socket holds little, closes the socket that holds most.
bool WebSocketConnection::admits(const WebSocketMessage& message, bool evicting) {
  SocketMemory& memory = core_->memory;
  const size_t before = message.bytes();
  const size_t size = message.wire(deflate_).size();
  if (message.held()) memory.add(message.bytes() - before);
  if (unsent_ > 0 && unsent_ + size > kMaxUnsentBytes) return false;
  const size_t holding = unsent_ + counted_ + size;
  const auto more = [&] { return message.held() ? 0 : message.bytes(); };
  if (!memory.admits(more(), holding) && evicting && memory.isSmall(holding)) core_->evictLargest();
  return memory.admits(more(), holding);
}

void WebSocketConnection::push(WebSocketMessagePtr message) {
  if (!message->held()) core_->memory.add(message->bytes());
  message->hold();
  if (unsent_ == 0) wroteAt_ = core_->tick;
  unsent_ += message->wire(deflate_).size();
  queue_.push_back(std::move(message));
  if (touched_ || waiting_) return;
  touched_ = true;
  if (joins_ && std::chrono::steady_clock::now() < sentAt_ + kJoinInterval) {
    core_->touchLater(*this);
  } else {
    core_->touch(*this);
  }
}

void WebSocketConnection::queueClose(uint16_t code, std::string_view reason) {
  pong_.reset();
  push(std::make_shared<const WebSocketMessage>(closeFrame(code, reason)));
}

// Whether the server's close frame is sent at least in part, so that it cannot be withdrawn. It is the last of the
// queue.
bool WebSocketConnection::closeIsUnderWay() const {
  if (state_ == State::open) return false;
  return queue_.size() - first_ <= (sent_ > 0 ? 1U : 0U);
}

// Drops all queued messages except one that is sent in part.
void WebSocketConnection::dropQueue() {
  const bool begun = sent_ > 0 && state_ != State::ended;
  const size_t from = first_ + (begun ? 1 : 0);
  for (size_t place = from; place < queue_.size(); ++place) release(place);
  queue_.resize(std::min(queue_.size(), from));
  unsent_ = begun ? queue_[first_]->wire(deflate_).size() - sent_ : 0;
}

void WebSocketConnection::release(size_t place) {
  if (queue_[place]->release()) core_->memory.remove(queue_[place]->bytes());
  queue_[place].reset();
}

// Inserts the pong before the queue, but after a message that is sent in part.
void WebSocketConnection::placePong() {
  if (!pong_) return;
  core_->memory.add(pong_->bytes());
  pong_->hold();
  unsent_ += pong_->bytes();
  queue_.insert(queue_.begin() + static_cast<ptrdiff_t>(first_ + (sent_ > 0 ? 1 : 0)), std::move(pong_));
  pong_.reset();
}

// Replaces messages that wait side by side by their array.
void WebSocketConnection::joinQueued() {
  size_t kept = first_ + (sent_ > 0 ? 1 : 0);
  for (size_t place = kept; place < queue_.size();) {
    size_t end = place;
    size_t bytes = 0;
    while (end < queue_.size() && queue_[end]->joinable() && bytes + queue_[end]->payload().size() <= kMaxJoinedBytes) {
      bytes += queue_[end++]->payload().size();
    }
    if (end < place + 2) {
      std::swap(queue_[kept++], queue_[place++]);
      continue;
    }
    WebSocketMessagePtr joined = http::joinMessages(std::span(queue_).subspan(place, end - place));
    core_->memory.add(joined->bytes());
    joined->hold();
    unsent_ += joined->bytes();
    for (; place < end; ++place) {
      unsent_ -= queue_[place]->wire(deflate_).size();
      release(place);
    }
    queue_[kept++] = std::move(joined);
  }
  queue_.resize(kept);
}

WebSocketConnection::Sent WebSocketConnection::sendNow() {
  placePong();
  if (joins_) {
    joinQueued();
    sentAt_ = std::chrono::steady_clock::now();
  }
  while (first_ < queue_.size()) {
    iovec parts[kMaxParts];
    size_t count = 0;
    for (size_t place = first_; place < queue_.size() && count < kMaxParts; ++place) {
      std::string_view bytes = queue_[place]->wire(deflate_);
      if (place == first_) bytes.remove_prefix(sent_);
      parts[count++] = {const_cast<char*>(bytes.data()), bytes.size()};
    }
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = count;
    const ssize_t took =
        count == 1 ? ::send(socket_.native_handle(), parts[0].iov_base, parts[0].iov_len, MSG_NOSIGNAL | MSG_DONTWAIT)
                   : ::sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (took < 0) {
      if (errno == EINTR) continue;
      return errno == EAGAIN || errno == EWOULDBLOCK ? Sent::some : Sent::failed;
    }
    tookBytes(static_cast<size_t>(took));
  }
  queue_.clear();
  first_ = 0;
  if (queue_.capacity() > kRetainedSlots) queue_.shrink_to_fit();
  return Sent::all;
}

void WebSocketConnection::tookBytes(size_t count) {
  wroteAt_ = core_->tick;
  unsent_ -= count;
  while (count > 0) {
    const size_t left = queue_[first_]->wire(deflate_).size() - sent_;
    if (count < left) {
      sent_ += count;
      break;
    }
    count -= left;
    sent_ = 0;
    release(first_++);
  }
  if (first_ >= kCompactFrom && first_ * 2 >= queue_.size()) {
    queue_.erase(queue_.begin(), queue_.begin() + static_cast<ptrdiff_t>(first_));
    first_ = 0;
  }
}

void WebSocketConnection::flush() {
  touched_ = false;
  sendQueued();
}

void WebSocketConnection::sendQueued() {
  if (state_ == State::ended) return;
  switch (sendNow()) {
    case Sent::all:
      return allSent();
    case Sent::some:
      core_->memory.note(unsent_ + counted_);
      return waitUntilWritable();
    case Sent::failed:
      return abort();
  }
}

void WebSocketConnection::waitUntilWritable() {
  if (waiting_) return;
  waiting_ = true;
  socket_.async_wait(Socket::wait_write, [self = shared_from_this()](boost::system::error_code) {
    self->waiting_ = false;
    self->sendQueued();
  });
}

void WebSocketConnection::allSent() {
  if (state_ == State::finishing) {
    closeBy_ = std::min(closeBy_, tickAfter(kLinger));
    boost::system::error_code ignored;
    socket_.shutdown(Socket::shutdown_send, ignored);
  } else if (state_ == State::closing && closeBy_ == 0) {
    closeBy_ = tickAfter(kCloseWait);
  }
  notifyDrained();
}

// Calls drained() if a send() was refused and there is capacity again.
void WebSocketConnection::notifyDrained() {
  if (!refused_ || state_ != State::open || core_->memory.exceeded()) return;
  refused_ = false;
  handler_->drained();
}

}  // namespace mb::http
