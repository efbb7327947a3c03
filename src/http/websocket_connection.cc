#include "http/websocket_connection.h"

#include <sys/socket.h>

#include "base/log.h"

namespace mb::http {

namespace {

constexpr size_t kLingerBytes = 256 << 10;  // read after the close frame, so that the client gets the server's

}  // namespace

WebSocketConnection::WebSocketConnection(Socket socket, const WebSocketUpgrade& terms, std::shared_ptr<SocketCore> core)
    : socket_(std::move(socket)),
      core_(std::move(core)),
      handler_(terms.handler),
      reader_(core_->settings.maxMessage, terms.deflate),
      receivedAt_(core_->tick),
      deflate_(terms.deflate) {
  core_->add(*this);
}

Async<void> WebSocketConnection::run(std::string early) {
  rest_ = std::move(early);
  std::string bug;
  try {
    handler_->opened(*this);
    if (core_->draining) endIfIdle();
    co_await runSession();
  } catch (const std::exception& e) {
    bug = e.what();
  }
  if (!bug.empty()) {
    handling_ = false;
    logError("WebSocket handler threw an exception", {{"cause", bug}});
    finish(closeCode::kInternalError, "something went wrong on the server");
  }
  notifyClosed();
  if (state_ == State::finishing) co_await linger();
  abort();
  dropQueue();
  core_->memory.remove(counted_);
  counted_ = 0;
  if (touched_) core_->forget(*this);
}

// Reads until the client stops sending or the socket is closing.
Async<void> WebSocketConnection::runSession() {
  using Event = WebSocketReader::Event;
  std::span<char> bytes(rest_);
  while (isReading()) {
    const Event event = reader_.read(bytes);
    if (event == Event::needMore) {
      std::string().swap(rest_);
      measure();
      if (!isReading()) break;
      const auto [error] = co_await socket_.async_wait(Socket::wait_read, kTuple);
      if (isReading() && (error || !receive(bytes))) abort();
      continue;
    }
    noteProgress();
    if (event == Event::text) {
      std::string message = reader_.takeMessage();
      if (state_ != State::open) continue;
      keep(bytes);
      co_await handleMessage(std::move(message));
    } else if (event == Event::ping) {
      queuePong();
    } else if (event == Event::close) {
      confirmClose();
    } else if (event == Event::failed) {
      failAs(reader_.failure());
    }
  }
}

Async<void> WebSocketConnection::handleMessage(std::string message) {
  handling_ = true;
  co_await handler_->received(std::move(message));
  handling_ = false;
  receivedAt_ = core_->tick;
}

// Reads available bytes into the core's buffer. False if the client has disconnected.
bool WebSocketConnection::receive(std::span<char>& bytes) {
  const std::span<char> buffer = core_->readBuffer();
  ssize_t count = 0;
  do {
    count = ::recv(socket_.native_handle(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  } while (count < 0 && errno == EINTR);
  if (count == 0) return false;
  if (count < 0) {
    bytes = {};
    return errno == EAGAIN || errno == EWOULDBLOCK;
  }
  receivedAt_ = core_->tick;
  pinged_ = false;
  bytes = buffer.first(static_cast<size_t>(count));
  return true;
}

// Copies unread bytes: other sockets use the core's buffer once this coroutine suspends.
void WebSocketConnection::keep(std::span<char>& bytes) {
  const bool own = bytes.data() >= rest_.data() && bytes.data() < rest_.data() + rest_.size();
  if (!own) {
    rest_.assign(bytes.data(), bytes.size());
    bytes = std::span<char>(rest_);
  }
  measure();
}

// A frame has ended: the next message gets a new deadline.
void WebSocketConnection::noteProgress() {
  if (!reader_.midMessage()) messageBy_ = 0;
}

// Counts the received bytes that this socket holds, and sets the deadline of an incomplete message.
void WebSocketConnection::measure() {
  const size_t kept = reader_.held() + rest_.size();
  core_->memory.add(kept);
  core_->memory.remove(counted_);
  counted_ = kept;
  if (kept > 0) core_->memory.note(unsent_ + counted_);
  if (!reader_.midMessage()) {
    messageBy_ = 0;
  } else if (messageBy_ == 0) {
    messageBy_ = tickAfter(core_->settings.messageTimeout);
  }
  if (kept > 0 && core_->memory.exhausted()) core_->evictLargest();
}

void WebSocketConnection::queuePong() {
  if (state_ != State::open) return;
  pong_ = std::make_shared<const WebSocketMessage>(controlFrame(Opcode::pong, reader_.control()));
  if (!touched_ && !waiting_) {
    touched_ = true;
    core_->touch(*this);
  }
}

void WebSocketConnection::confirmClose() {
  finish(reader_.closeCode(), {});
}

void WebSocketConnection::failAs(const WebSocketReader::Failure& failure) {
  logDebug("WebSocket closed by the server", {{"code", failure.code}, {"why", failure.reason}});
  finish(failure.code, failure.reason);
}

void WebSocketConnection::evict() {
  reader_.drop();
  core_->memory.remove(counted_);
  counted_ = 0;
  failAs({closeCode::kTryAgainLater, "the server is short of memory"});
  // Wakes the reader, which waits for a client that may send nothing more.
  boost::system::error_code ignored;
  if (state_ == State::finishing) socket_.cancel(ignored);
}

void WebSocketConnection::finish(uint16_t code, std::string_view reason) {
  if (!isReading()) return;
  closeAs(State::finishing, code, reason);
  sendQueued();
}

// Replaces the queue by a close frame, unless one is already being sent.
void WebSocketConnection::closeAs(State state, uint16_t code, std::string_view reason) {
  if (!closeIsUnderWay()) {
    dropQueue();
    queueClose(code, reason);
  }
  state_ = state;
  closeBy_ = tickAfter(kCloseWait);
}

// Closing with unread bytes resets the connection, and the client may lose the close frame: waits for the client to
// end.
Async<void> WebSocketConnection::linger() {
  size_t read = 0;
  std::span<char> bytes;
  while (state_ == State::finishing && read < kLingerBytes) {
    const auto [error] = co_await socket_.async_wait(Socket::wait_read, kTuple);
    if (error || !receive(bytes)) break;
    read += bytes.size();
  }
}

void WebSocketConnection::notifyClosed() {
  if (const std::shared_ptr<WebSocketHandler> handler = std::exchange(handler_, nullptr)) handler->closed();
}

void WebSocketConnection::close(uint16_t code, std::string_view reason) {
  if (state_ != State::open) return;
  state_ = State::closing;
  queueClose(code, reason);
}

void WebSocketConnection::closeNow(uint16_t code, std::string_view reason) {
  if (isReading()) closeAs(State::closing, code, reason);
}

void WebSocketConnection::endIfIdle() {
  close(closeCode::kGoingAway, "the server is stopping");
}

void WebSocketConnection::abort() {
  state_ = State::ended;
  boost::system::error_code ignored;
  socket_.close(ignored);
}

void WebSocketConnection::expire() {
  if (state_ == State::ended) return;
  const ServerSettings& settings = core_->settings;
  const int64_t now = core_->tick;
  core_->memory.note(unsent_ + counted_);
  if (closeBy_ != 0 && now >= closeBy_) return abort();
  if (waiting_ && now > wroteAt_ + settings.writeTimeout.count()) return abort();
  if (unsent_ == 0) notifyDrained();
  if (state_ != State::open || handling_) return;
  if (messageBy_ != 0 && now >= messageBy_) {
    return closeNow(closeCode::kPolicyViolation, "the message did not arrive in time");
  }
  const int64_t silent = now - receivedAt_;
  if (silent > (settings.pingAfter + settings.pongWait).count()) {
    return closeNow(closeCode::kGoingAway, "no pong was received in time");
  }
  if (!pinged_ && silent > settings.pingAfter.count()) {
    pinged_ = true;
    push(std::make_shared<const WebSocketMessage>(controlFrame(Opcode::ping, {})));
  }
}

}  // namespace mb::http
