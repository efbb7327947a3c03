// Sends responses: most fit the socket's buffer and are sent in one call, without waiting for the reactor.
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/log.h"
#include "http/connection.h"
#include "http/response_writer.h"

namespace mb::http {

namespace {

constexpr size_t kOwnWrite = 16 << 10;      // larger bodies are sent without a copy into out_
constexpr size_t kDiscardAtOnce = 1 << 20;  // then other work on the core runs
constexpr std::chrono::seconds kDiscardTime{5};

}  // namespace

void Connection::append(Response& response, bool close) {
  const bool headOnly = request_.method == Method::head;
  appendHead(out_, response, request_.id, {.close = close, .keepAlive = parser_.framing().http10 && !close});
  if (headOnly || !allowsBody(response.status)) {
    response.file = {};
    response.pieces.reset();
    return;
  }
  if (response.body.size() > kOwnWrite) {
    tail_ = std::move(response.body);
    after_ = tail_;
  } else {
    out_ += response.body;
  }
}

Connection::Sent Connection::sendNow() {
  while (sent_ < out_.size() + after_.size()) {
    const size_t fromOut = std::min(sent_, out_.size());
    const std::string_view after = after_.substr(sent_ - fromOut);
    iovec parts[2] = {{out_.data() + fromOut, out_.size() - fromOut}, {const_cast<char*>(after.data()), after.size()}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = after.empty() ? 1 : 2;
    const ssize_t count = ::sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0) {
      if (errno == EINTR) continue;
      return errno == EAGAIN || errno == EWOULDBLOCK ? Sent::some : Sent::failed;
    }
    sent_ += static_cast<size_t>(count);
    rateGuard_.passed(static_cast<size_t>(count));
  }
  out_.clear();
  after_ = {};
  tail_ = {};
  sent_ = 0;
  return Sent::all;
}

// Sends all pending bytes; false if the client has disconnected or does not read. A client that reads a byte now and
// then makes progress, but must not delay a response for ever.
Async<bool> Connection::flush() {
  rateGuard_ = MinRateGuard(context_.settings.writeTimeout, context_.settings.slowestClient);
  return continueFlush();
}

// The same, without resetting rateGuard_: for a part of a larger body.
Async<bool> Connection::continueFlush() {
  while (true) {
    const Sent sent = sendNow();
    if (sent != Sent::some) co_return sent == Sent::all;
    if (!co_await waitToSend()) co_return false;
  }
}

Async<bool> Connection::waitToSend() {
  enter(Phase::sending, rateGuard_.begin(context_.tick));
  const auto [error] = co_await socket_.async_wait(Socket::wait_write, kTuple);
  rateGuard_.end(context_.tick);
  enter(Phase::handling);  // expire() must not end work that does not wait
  co_return !error;
}

// Responds to a request that could not be read or is refused; the connection ends after it.
Async<void> Connection::refuse(Error error) {
  if (request_.id.empty()) makeRequestId(request_.id);
  logDebug("request refused", {{"requestId", request_.id}, {"peer", request_.peer}, {"why", error.message()}});
  Response response = Response::failure(error);
  appendHead(out_, response, request_.id, {.close = true, .keepAlive = false});
  out_ += response.body;
  if (co_await flush()) co_await linger(kLingerBytes, kLinger);
}

// Reads and drops `bytes` bytes; false if they do not arrive.
Async<bool> Connection::discard(uint64_t bytes) {
  while (bytes > 0) {
    const size_t maxBytes = static_cast<size_t>(std::min<uint64_t>(bytes, kDiscardAtOnce));
    // MSG_TRUNC drops them without a copy.
    const ssize_t count = ::recv(socket_.native_handle(), nullptr, maxBytes, MSG_TRUNC | MSG_DONTWAIT);
    if (count > 0) {
      bytes -= static_cast<uint64_t>(count);
      if (bytes > 0) co_await asio::post(asio::deferred);
    } else if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      const auto [error] = co_await socket_.async_wait(Socket::wait_read, kTuple);
      if (error) co_return false;
    } else if (count == 0 || errno != EINTR) {
      co_return false;
    }
  }
  co_return true;
}

// Discards the rest of a short body whose response is sent.
Async<bool> Connection::discardRestOfBody(uint64_t bytes) {
  enter(Phase::lingering, kDiscardTime);
  co_return co_await discard(bytes);
}

// Closing with unread bytes resets the connection, and the client may lose the response: stops sending, reads up to
// `maxBytes`, then returns false: no request may follow.
Async<bool> Connection::linger(uint64_t maxBytes, std::chrono::seconds limit) {
  boost::system::error_code failed;
  socket_.shutdown(Socket::shutdown_send, failed);
  if (failed) co_return false;
  enter(Phase::lingering, limit);
  in_.drop(in_.size());
  co_await discard(maxBytes);
  co_return false;
}

}  // namespace mb::http
