// Sending answers: most fit the socket's buffer and go out in one call, without a trip through the reactor.
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/log.h"
#include "http/connection.h"
#include "http/response_writer.h"

namespace mb::http {

namespace {

constexpr size_t kOwnWrite = 16 << 10;      // larger bodies are sent from where they are instead of copied
constexpr size_t kLingerBytes = 256 << 10;  // of a refused request, read so that the client sees the answer
constexpr std::chrono::seconds kLinger{2};

}  // namespace

void Connection::append(Response& response, bool close) {
  const bool headOnly = request_.method == Method::head;
  appendHead(out_, response, request_.id, {.close = close, .keepAlive = parser_.framing().http10 && !close});
  if (headOnly || !mayHaveBody(response.status)) return;
  if (response.body.size() > kOwnWrite) {
    tail_ = std::move(response.body);
  } else {
    out_ += response.body;
  }
}

Connection::Sent Connection::sendNow() {
  while (sent_ < out_.size() + tail_.size()) {
    const size_t fromOut = std::min(sent_, out_.size());
    const size_t fromTail = sent_ - fromOut;
    iovec parts[2] = {{out_.data() + fromOut, out_.size() - fromOut},
                      {tail_.data() + fromTail, tail_.size() - fromTail}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = tail_.empty() ? 1 : 2;
    const ssize_t count = ::sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0) {
      if (errno == EINTR) continue;
      return errno == EAGAIN || errno == EWOULDBLOCK ? Sent::some : Sent::failed;
    }
    sent_ += static_cast<size_t>(count);
  }
  out_.clear();
  tail_ = {};
  sent_ = 0;
  return Sent::all;
}

// Sends all there is; false when the client is gone or does not read.
Async<bool> Connection::flush() {
  // A client that takes a byte now and then makes progress, but must not hold an answer for ever.
  const size_t whole = out_.size() + tail_.size() - sent_;
  const std::chrono::seconds taking(static_cast<int64_t>(whole / context_.settings.slowestClient));
  const int64_t last = context_.tick + (context_.settings.writeTimeout + taking).count() + 1;
  while (true) {
    const size_t before = sent_;
    const Sent sent = sendNow();
    if (sent != Sent::some) co_return sent == Sent::all;
    if (phase_ != Phase::sending || sent_ > before) {
      enter(Phase::sending, context_.settings.writeTimeout);
      deadline_ = std::min(deadline_, last);
    }
    const auto [error] = co_await socket_.async_wait(Socket::wait_write, kTuple);
    if (error) co_return false;
  }
}

// Answers a request that could not be read or is not wanted, without going on with the connection.
Async<void> Connection::refuse(Error error) {
  if (request_.id.empty()) makeRequestId(request_.id);
  logDebug("request refused", {{"requestId", request_.id}, {"peer", request_.peer}, {"why", error.message()}});
  Response response = Response::failure(error);
  appendHead(out_, response, request_.id, {.close = true, .keepAlive = false});
  out_ += response.body;
  if (co_await flush()) co_await linger();
}

// Closing with unread bytes resets the connection and may take the answer with it: stop sending, read a little, then
// close.
Async<void> Connection::linger() {
  boost::system::error_code failed;
  socket_.shutdown(Socket::shutdown_send, failed);
  if (failed) co_return;
  enter(Phase::lingering, kLinger);
  in_.drop(in_.size());
  size_t read = 0;
  while (read < kLingerBytes && co_await readMore(kRead)) {
    read += in_.size();
    in_.drop(in_.size());
  }
}

}  // namespace mb::http
