#include "http/connection.h"

#include <poll.h>

#include "base/log.h"
#include "http/connection_stream.h"
#include "http/response_writer.h"

namespace mb::http {

namespace {

using std::chrono::seconds;

constexpr size_t kRetainedBufferBytes = 64 << 10;  // larger buffers are freed after use
constexpr size_t kSendAt = 64 << 10;               // responses to pipelined requests are sent together up to this size
constexpr int kMaxPipelinedBatch = 32;             // pipelined requests before other connections run
constexpr size_t kGzipInline = 64 << 10;           // larger bodies are compressed off the core
constexpr uint64_t kStreamLingerBytes = 64 << 20;  // clients that send read only now and then
constexpr seconds kStreamLinger{5};
constexpr std::string_view kProcessing = "HTTP/1.1 102 Processing\r\n\r\n";

bool isWellFormedId(std::string_view id) {
  if (id.empty() || id.size() > 64) return false;
  return std::ranges::all_of(id, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '.' || c == '_' ||
           c == '-';
  });
}

// Whether the body is sent after the head, from a file or a source.
bool hasLargeBody(const Response& response) {
  return response.file.file || response.pieces;
}

}  // namespace

Connection::Connection(Socket socket, std::string peer, ConnectionContext& context,
                       asio::cancellation_signal& cancellation)
    : socket_(std::move(socket)),
      context_(context),
      cancellation_(cancellation),
      parser_(context.settings.maxHeadBytes, context.settings.maxHeaders),
      rateGuard_(context.settings.writeTimeout, context.settings.slowestClient) {
  request_.peer = std::move(peer);
  enter(Phase::idle, context.settings.idleTimeout);
}

Connection::~Connection() = default;

void Connection::enter(Phase phase, int64_t deadline) {
  phase_ = phase;
  deadline_ = deadline;
}

void Connection::enter(Phase phase, seconds limit) {
  enter(phase, context_.tick + limit.count() + 1);  // the running tick may be nearly over
}

void Connection::expire() {
  if (context_.tick < deadline_) return;
  if (phase_ != Phase::head && phase_ != Phase::body) return abort();
  // The reader resumes and reports the timeout.
  timedOut_ = true;
  boost::system::error_code ignored;
  socket_.cancel(ignored);
}

void Connection::endIfIdle() {
  boost::system::error_code error;
  if (phase_ == Phase::idle && socket_.available(error) == 0) abort();
}

void Connection::abort() {
  boost::system::error_code ignored;
  socket_.close(ignored);
}

Async<void> Connection::run() {
  for (int turn = 1;; ++turn) {
    const auto head = in_.empty() ? RequestParser::Status::needMore : parser_.parseHead(in_.data());
    if (head == RequestParser::Status::failed) {
      request_.id.clear();
      co_await refuse(parser_.takeError());
      break;
    }
    if (head == RequestParser::Status::done) {
      if (!co_await exchange()) break;
      // A client that never stops sending must not starve the others.
      if (turn % kMaxPipelinedBatch == 0) co_await asio::post(asio::deferred);
      continue;
    }
    if (sendNow() != Sent::all && !co_await flush()) break;
    if (in_.empty()) {
      if (context_.draining) break;
      shrinkBuffers();
      enter(Phase::idle, context_.settings.idleTimeout);
    } else if (phase_ != Phase::head) {
      enter(Phase::head, context_.settings.headTimeout);
    }
    const std::span<char> space = in_.space(kRead);
    const auto [error, count] =
        co_await socket_.async_read_some(asio::mutable_buffer(space.data(), space.size()), kTuple);
    if (error) {
      if (timedOut_) {
        request_.id.clear();
        co_await refuse(Error(ErrorCode::requestTimeout, "the request did not arrive in time"));
      }
      break;
    }
    in_.filled(count);
    timedOut_ = false;
  }
  if (!upgrade_) abort();
}

std::optional<Upgraded> Connection::takeUpgraded() {
  if (!upgrade_) return std::nullopt;
  return Upgraded{std::move(socket_), std::string(in_.data()), std::move(upgrade_)};
}

// Serves one request, whose head is at the beginning of in_. True if the next one may follow. A step is a coroutine
// only if it calls the handler or most requests skip it, since each coroutine allocates a frame.
Async<bool> Connection::exchange() {
  Result<size_t> limit = readRequest();
  if (limit && lacksBody()) {
    if (std::optional<Error> failure = co_await readBody(*limit)) limit = fail(*std::move(failure));
  }
  if (!limit && request_.bodyPresent) {
    co_await refuse(std::move(limit).error());
    co_return false;
  }
  enter(Phase::handling);
  Response response;
  if (limit) {
    response = co_await dispatch();
  } else {
    response = Response::failure(limit.error());
  }
  if (negotiateGzip(response)) co_await compress(response);
  if (hasLargeBody(response)) co_await prepareBody(response);

  Ending ending = queueResponse(response);
  if (hasLargeBody(response) && !co_await sendLarge(response)) co_return false;
  ending.missing = finishRequest(ending.unread);
  if (mustFlush(ending) && !co_await flush()) co_return false;
  upgrade_ = std::move(response.upgrade);
  const bool inputFollows = ending.close ? ending.unread > 0 || !in_.empty() : ending.missing > 0;
  if (inputFollows) co_return co_await dropInput(ending);
  co_return !ending.close && !ending.switches;
}

// Reads what has arrived of the request: its head, and its body if that is complete and not chunked. Returns the limit
// of its body, or the error that refuses it.
Result<size_t> Connection::readRequest() {
  const Framing& framing = parser_.framing();
  parser_.fill(request_, in_.data());
  request_.body = {};
  request_.stream = nullptr;
  request_.bodyPresent = framing.chunked || framing.contentLength > 0;
  const auto given = request_.header("x-request-id");
  if (given && isWellFormedId(*given)) {
    request_.id = *given;
  } else {
    makeRequestId(request_.id);
  }
  Result<size_t> limit = context_.service.bodyLimit(request_);
  if (!limit) return limit;
  if (*limit == Service::kStreams) {
    openStream();
  } else if (in_.size() >= framing.headBytes + framing.contentLength && framing.contentLength <= *limit) {
    request_.body = in_.data().substr(framing.headBytes, framing.contentLength);
  }
  return limit;
}

// Whether readBody() must be called before the request is handled.
bool Connection::lacksBody() const {
  return request_.bodyPresent && !stream_ && request_.body.empty();
}

// Calls the handler.
Async<Response> Connection::dispatch() {
  context_.watch.add(*this);
  Response response;
  std::string bug;
  // The request before may have been cancelled when its client ended.
  co_await outliveClient();
  try {
    response = co_await context_.service.handle(request_);
  } catch (const std::exception& e) {
    bug = std::string("threw: ") + e.what();
  } catch (...) {
    bug = "threw an object that is not a std::exception";
  }
  ClientWatch::remove(*this);
  if (!bug.empty()) response = failureOf(std::move(bug));
  co_return response;
}

// Whether the response is to be compressed. Declares that this depends on the request.
bool Connection::negotiateGzip(Response& response) const {
  if (!isCompressible(response)) return false;
  response.headers.emplace_back("vary", "accept-encoding");
  return acceptsGzip(request_);
}

// Decides what follows the response, and queues its head, and its body if that is in memory.
Connection::Ending Connection::queueResponse(Response& response) {
  const Framing& framing = parser_.framing();
  if (response.upgrade && framing.http10) {
    response = Response::failure(Error(ErrorCode::validation, "a WebSocket needs HTTP/1.1"));
  }
  Ending ending;
  ending.switches = response.upgrade != nullptr;
  ending.unread = stream_ ? stream_->unread() : 0;
  ending.close = !ending.switches &&
                 (response.close || !framing.keepAlive || context_.draining || ending.unread > Stream::kMaxDiscard);
  append(response, ending.close);
  return ending;
}

// Whether queued responses are sent before the next request is read; else they may wait for its response.
bool Connection::mustFlush(const Ending& ending) const {
  return ending.close || ending.switches || ending.missing > 0 || !after_.empty() || out_.size() >= kSendAt;
}

// Removes a request that has been served from in_. Returns how many of the `unread` bytes of its body have yet to
// arrive.
uint64_t Connection::finishRequest(uint64_t unread) {
  const Framing& framing = parser_.framing();
  if (stream_) {
    stream_->endPiece();
    stream_.reset();
    in_.drop(framing.headBytes);
    const uint64_t here = std::min<uint64_t>(unread, in_.size());
    in_.drop(static_cast<size_t>(here));
    unread -= here;
  } else {
    in_.drop(framing.headBytes + framing.contentLength);
  }
  parser_.reset();
  return unread;
}

// Reads and drops what the client still sends of the request, or before it sees the end of the connection. True if the
// next request may follow.
Async<bool> Connection::dropInput(const Ending& ending) {
  if (!ending.close) return discardRestOfBody(ending.missing);
  return ending.unread > 0 ? linger(kStreamLingerBytes, kStreamLinger) : linger(kLingerBytes, kLinger);
}

// A client that has closed its connection and one that has only ended its sending look the same until something is sent
// to them: the first replies with a reset. A 102 may precede any response except those of HTTP/1.0.
void Connection::checkClient() {
  if (phase_ != Phase::handling || !socket_.is_open()) return;
  pollfd polled{.fd = socket_.native_handle(), .events = POLLRDHUP, .revents = 0};
  if (::poll(&polled, 1, 0) <= 0) return;
  if ((polled.revents & (POLLERR | POLLHUP)) != 0) {
    if (!left_) logDebug("client disconnected", {{"requestId", request_.id}, {"path", request_.path}});
    left_ = true;
    // At each check: the request may reach a cancellation point only later.
    cancellation_.emit(kClientLeft);
    return;
  }
  if (probed_ || parser_.framing().http10) return;
  probed_ = true;
  out_ += kProcessing;
  sendNow();
}

// The handler reads the body itself.
void Connection::openStream() {
  stream_ = std::make_unique<Stream>(*this);
  parser_.fill(request_, in_.data());
  request_.stream = stream_.get();
}

Response Connection::failureOf(std::string bug) const {
  logError("request handler threw an exception", {{"requestId", request_.id}, {"path", request_.path}, {"cause", bug}});
  return Response::failure(Error(ErrorCode::internal, "something went wrong on the server"));
}

// Compresses large bodies off the core. If the pool is full, the response is sent uncompressed.
Async<void> Connection::compress(Response& response) {
  if (response.body.size() <= kGzipInline) {
    gzip(response);
    co_return;
  }
  const auto work = [&response]() -> Result<> {
    gzip(response);
    return {};
  };
  const Result<> done = co_await context_.compression.run(work);
  if (!done) logDebug("response sent uncompressed", {{"requestId", request_.id}, {"why", done.error().message()}});
}

void Connection::shrinkBuffers() {
  in_.shrink(kRetainedBufferBytes);
  if (body_.capacity() > kRetainedBufferBytes) std::string().swap(body_);
  if (out_.capacity() > kRetainedBufferBytes) std::string().swap(out_);
}

}  // namespace mb::http
