#include "http/connection_stream.h"

namespace mb::http {

namespace {

constexpr std::string_view kContinueLine = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace

Connection::Stream::Stream(Connection& connection)
    : connection_(connection),
      headBytes_(connection.parser_.framing().headBytes),
      chunked_(connection.parser_.framing().chunked),
      ended_(!connection.request_.bodyPresent),
      left_(connection.parser_.framing().contentLength),
      invited_(!connection.parser_.framing().expectsContinue || available() > 0),
      rateGuard_(connection.context_.settings.bodyTimeout, connection.context_.settings.slowestClient) {
  if (!ended_) connection_.in_.space(chunked_ ? kMaxPiece : static_cast<size_t>(std::min<uint64_t>(left_, kMaxPiece)));
}

std::optional<uint64_t> Connection::Stream::size() const {
  if (chunked_) return std::nullopt;
  return connection_.parser_.framing().contentLength;
}

size_t Connection::Stream::available() const {
  return connection_.in_.size() - headBytes_;
}

void Connection::Stream::endPiece() {
  connection_.in_.cut(headBytes_, std::exchange(piece_, 0));
}

uint64_t Connection::Stream::unread() const {
  if (ended_) return 0;
  return broken_ || chunked_ || !invited_ ? kEndless : left_;
}

Error Connection::Stream::tooLarge() const {
  return Error(ErrorCode::payloadTooLarge, fmt::format("the body may have at most {} bytes", limit_));
}

Task<std::string_view> Connection::Stream::read() {
  endPiece();
  if (failure_) co_return fail(failure_->clone());
  if (ended_) co_return std::string_view();
  Result<std::string_view> piece = chunked_ ? co_await readChunked() : co_await readSized();
  if (!piece) failure_ = piece.error().clone();
  co_return piece;
}

Task<std::string_view> Connection::Stream::readSized() {
  if (left_ > limit_ - std::min(limit_, received_)) co_return fail(tooLarge());
  if (available() == 0 && !co_await receive(static_cast<size_t>(std::min<uint64_t>(left_, kMaxPiece)))) {
    broken_ = true;
    co_return fail(connection_.bodyTimeoutError());
  }
  piece_ = static_cast<size_t>(std::min({static_cast<uint64_t>(available()), left_, uint64_t{kMaxPiece}}));
  left_ -= piece_;
  received_ += piece_;
  ended_ = left_ == 0;
  co_return connection_.in_.data().substr(headBytes_, piece_);
}

Task<std::string_view> Connection::Stream::readChunked() {
  ReadBuffer& in = connection_.in_;
  std::string& body = connection_.body_;
  body.clear();
  while (true) {
    if (available() > 0) {
      size_t consumed = 0;
      const auto status = connection_.parser_.parseChunks(in.data().substr(headBytes_, kMaxPiece), consumed, body,
                                                          limit_ - std::min(limit_, received_));
      if (status == RequestParser::Status::failed) {
        broken_ = true;
        Error error = connection_.parser_.takeError();
        co_return fail(error.code() == ErrorCode::payloadTooLarge ? tooLarge() : std::move(error));
      }
      in.cut(headBytes_, consumed);
      received_ += body.size();
      ended_ = status == RequestParser::Status::done;
      if (ended_ || !body.empty()) co_return std::string_view(body);
      continue;
    }
    if (!co_await receive(kMaxPiece)) {
      broken_ = true;
      co_return fail(connection_.bodyTimeoutError());
    }
  }
}

// Receives at least one byte, at most `maxBytes`: bytes after a body with a length belong to the next request. False if
// the client has disconnected or is too slow.
Async<bool> Connection::Stream::receive(size_t maxBytes) {
  Connection& c = connection_;
  if (!std::exchange(invited_, true)) c.out_ += kContinueLine;
  // The client may wait for earlier responses, or for 100 (Continue), before it sends more.
  if (!c.out_.empty() && !co_await c.flush()) co_return false;
  const std::span<char> space = c.in_.space(1);
  c.enter(Phase::body, rateGuard_.begin(c.context_.tick));
  const auto [error, count] =
      co_await c.socket_.async_read_some(asio::mutable_buffer(space.data(), std::min(space.size(), maxBytes)), kTuple);
  c.enter(Phase::handling);
  rateGuard_.end(c.context_.tick);
  if (error) co_return false;
  c.in_.filled(count);
  c.timedOut_ = false;
  rateGuard_.passed(count);
  co_return true;
}

}  // namespace mb::http
