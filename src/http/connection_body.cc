// Reads the bodies of requests: bodies with a length stay where they arrive, chunked ones are decoded into body_.
#include "http/connection.h"

namespace mb::http {

namespace {

constexpr size_t kBodyBytesPerSecond = 64 << 10;  // ServerSettings::bodyTimeout
constexpr size_t kFirstGrowth = 16 << 10;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace

// The body may take the time for `bytes` bytes, from its beginning on.
void Connection::enterBody(size_t bytes) {
  const auto more = std::chrono::seconds(static_cast<int64_t>(bytes / kBodyBytesPerSecond));
  enter(Phase::body, bodyStarted_ + (context_.settings.bodyTimeout + more).count() + 1);
}

// False if the client has disconnected or the wait was cancelled.
Async<bool> Connection::readMore(size_t min) {
  const std::span<char> space = in_.space(min);
  const auto [error, count] =
      co_await socket_.async_read_some(asio::mutable_buffer(space.data(), space.size()), kTuple);
  if (error) co_return false;
  in_.filled(count);
  timedOut_ = false;
  co_return true;
}

// Reads a body that has not arrived whole; returns the error to respond with if that fails. Reading may move the bytes
// of the request, so its views are set again.
Async<std::optional<Error>> Connection::readBody(size_t limit) {
  const Framing& framing = parser_.framing();
  if (framing.contentLength > limit) {
    co_return Error(ErrorCode::payloadTooLarge, fmt::format("the body may have at most {} bytes", limit));
  }
  bodyStarted_ = context_.tick;
  enterBody(framing.contentLength);
  if (framing.expectsContinue && in_.size() == framing.headBytes) out_ += kContinue;
  // The client may wait for earlier responses, or for 100 (Continue), before it sends more.
  if (!out_.empty()) {
    if (!co_await flush()) co_return bodyTimeoutError();
    enterBody(framing.contentLength);
  }
  std::optional<Error> failure =
      framing.chunked ? co_await readChunkedBody(limit) : co_await readSizedBody(framing.contentLength);
  if (failure) co_return failure;
  parser_.fill(request_, in_.data());
  request_.body =
      framing.chunked ? std::string_view(body_) : in_.data().substr(framing.headBytes, framing.contentLength);
  co_return std::nullopt;
}

Error Connection::bodyTimeoutError() const {
  return Error(ErrorCode::requestTimeout, "the body did not arrive in time");
}

// Space grows as bytes arrive: a stated length alone reserves no memory.
Async<std::optional<Error>> Connection::readSizedBody(size_t length) {
  const size_t whole = parser_.framing().headBytes + length;
  while (in_.size() < whole) {
    const size_t missing = whole - in_.size();
    if (!co_await readMore(std::min(missing, std::max(kFirstGrowth, in_.size())))) co_return bodyTimeoutError();
  }
  co_return std::nullopt;
}

Async<std::optional<Error>> Connection::readChunkedBody(size_t limit) {
  const size_t headBytes = parser_.framing().headBytes;
  body_.clear();
  while (true) {
    size_t consumed = 0;
    const auto status = parser_.parseChunks(in_.data().substr(headBytes), consumed, body_, limit);
    in_.cut(headBytes, consumed);
    if (status == RequestParser::Status::done) co_return std::nullopt;
    if (status == RequestParser::Status::failed) co_return parser_.takeError();
    enterBody(body_.size());
    if (!co_await readMore(kFirstGrowth)) co_return bodyTimeoutError();
  }
}

}  // namespace mb::http
