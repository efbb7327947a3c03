// Sends bodies that are not in memory: files by sendfile if they are in the page cache, else by a pool that reads the
// disk, and bodies in pieces of a BodySource. After each window or piece other work on the core runs.
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

#include "base/log.h"
#include "http/cached_pages.h"
#include "http/connection.h"
#include "http/response_writer.h"

namespace mb::http {

namespace {

constexpr uint64_t kSmallFile = 64 << 10;  // is read whole, and sent with its head in one write
constexpr size_t kWindow = CachedPages::kMaxLength;
constexpr off_t kReadAhead = 2 << 20;  // prefetched from the disk, starting at the window that is read

Error shorterThanStated() {
  return Error(ErrorCode::internal, "something went wrong on the server").withCause("it ended before its stated size");
}

// The leading bytes of `piece` that are in the page cache; all of it, or fewer. Does not wait for the disk.
std::string readCached(const FilePiece& piece) {
  std::string bytes;
  bytes.resize_and_overwrite(static_cast<size_t>(piece.length), [&piece](char* at, size_t size) {
    const iovec part{at, size};
    const ssize_t count = ::preadv2(piece.file->get(), &part, 1, static_cast<off_t>(piece.offset), RWF_NOWAIT);
    return count < 0 ? 0 : static_cast<size_t>(count);
  });
  return bytes;
}

// All of `piece`. Blocks.
Result<std::string> readFromDisk(const FilePiece& piece) {
  ::posix_fadvise(piece.file->get(), static_cast<off_t>(piece.offset), kReadAhead, POSIX_FADV_WILLNEED);
  std::string bytes;
  bytes.resize_and_overwrite(static_cast<size_t>(piece.length), [&piece](char* at, size_t size) {
    size_t have = 0;
    while (have < size) {
      const ssize_t count = ::pread(piece.file->get(), at + have, size - have, static_cast<off_t>(piece.offset + have));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) break;
      have += static_cast<size_t>(count);
    }
    return have;
  });
  if (bytes.size() == piece.length) return bytes;
  return fail(shorterThanStated());
}

FilePiece frontOf(const FilePiece& piece, uint64_t maxBytes) {
  return {piece.file, piece.offset, std::min(piece.length, maxBytes)};
}

void dropFront(FilePiece& piece, uint64_t count) {
  piece.offset += count;
  piece.length -= count;
}

}  // namespace

Task<std::string> Connection::readFile(FilePiece piece) {
  std::string bytes = readCached(piece);
  if (bytes.size() == piece.length) co_return bytes;
  const auto work = [piece] { return readFromDisk(piece); };
  co_return co_await context_.files.run(work);
}

// Reads the beginning of the body before the head is sent, so that a failure can still become an error response: a
// small file becomes a plain body, and the first piece of a source is read and sent after the head.
Async<void> Connection::prepareBody(Response& response) {
  if (request_.method == Method::head || !allowsBody(response.status)) co_return;
  Result<> done;
  if (response.pieces && response.pieces->size() > 0) {
    const Result<std::string_view> piece = co_await nextPiece(*response.pieces, response.pieces->size());
    if (piece) {
      after_ = *piece;
    } else {
      done = fail(piece.error().clone());
    }
  } else if (response.file.file && response.file.length <= kSmallFile) {
    Result<std::string> bytes = co_await readFile(response.file);
    if (bytes) {
      response.body = *std::move(bytes);
      response.file = {};
    } else {
      done = fail(std::move(bytes).error());
    }
  }
  if (!done) {
    logAbortedBody(done.error());
    response = Response::failure(done.error());
  }
}

// Sends the body after the head, which is in out_. False if the connection must be closed.
Async<bool> Connection::sendLarge(Response& response) {
  rateGuard_ = MinRateGuard(context_.settings.writeTimeout, context_.settings.slowestClient);
  if (response.file.file) co_return co_await sendFile(std::move(response.file));
  // Releases the source on return, also if the client has disconnected.
  const std::shared_ptr<BodySource> source = std::move(response.pieces);
  co_return co_await sendPieces(*source);
}

// sendfile blocks on the disk if a page is not in the page cache, so each window is checked first. A window that is not
// wholly cached is read by the pool and sent from memory, because the cache may already have dropped the pages again.
// During that read the system reads ahead, so that the following windows are in the cache.
Async<bool> Connection::sendFile(FilePiece piece) {
  if (!socket_.native_non_blocking()) {
    boost::system::error_code failed;
    socket_.native_non_blocking(true, failed);
    if (failed) co_return false;
  }
  const CachedPages cached(piece.file->get(), piece.offset, piece.length);
  while (piece.length > 0) {
    const FilePiece window = frontOf(piece, kWindow);
    if (!cached.hold(window.offset, static_cast<size_t>(window.length))) {
      if (!co_await sendCold(window)) co_return false;
      dropFront(piece, window.length);
      continue;
    }
    if (!out_.empty() && !co_await continueFlush()) co_return false;
    off_t at = static_cast<off_t>(window.offset);
    const ssize_t count =
        ::sendfile(socket_.native_handle(), piece.file->get(), &at, static_cast<size_t>(window.length));
    if (count > 0) {
      rateGuard_.passed(static_cast<size_t>(count));
      dropFront(piece, static_cast<uint64_t>(count));
      if (piece.length > 0) co_await asio::post(asio::deferred);
    } else if (count == 0) {
      logAbortedBody(shorterThanStated());
      co_return false;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!co_await waitToSend()) co_return false;
    } else if (errno != EINTR) {
      co_return false;
    }
  }
  co_return true;
}

Async<bool> Connection::sendCold(FilePiece window) {
  enter(Phase::handling);
  const auto work = [window] { return readFromDisk(window); };
  Result<std::string> bytes = co_await context_.files.run(work);
  if (!bytes) {
    logAbortedBody(bytes.error());
    co_return false;
  }
  tail_ = *std::move(bytes);
  after_ = tail_;
  co_return co_await continueFlush();
}

// after_ is the first piece.
Async<bool> Connection::sendPieces(BodySource& source) {
  uint64_t left = source.size() - after_.size();
  while (true) {
    if (!co_await continueFlush()) co_return false;
    if (left == 0) co_return true;
    enter(Phase::handling);
    const Result<std::string_view> piece = co_await nextPiece(source, left);
    if (!piece) {
      logAbortedBody(piece.error());
      co_return false;
    }
    after_ = *piece;
    left -= after_.size();
    co_await asio::post(asio::deferred);
  }
}

// At least one byte, at most `left`.
Task<std::string_view> Connection::nextPiece(BodySource& source, uint64_t left) {
  Result<std::string_view> piece;
  try {
    piece = co_await source.read();
  } catch (const std::exception& bug) {
    piece = fail(Error(ErrorCode::internal, "something went wrong on the server").withCause(bug.what()));
  }
  if (piece && piece->empty()) co_return fail(shorterThanStated());
  if (piece) piece = piece->substr(0, static_cast<size_t>(std::min<uint64_t>(piece->size(), left)));
  co_return piece;
}

// Logs that a body could not be sent, or not to its end.
void Connection::logAbortedBody(const Error& error) const {
  logWarn(
      "response body could not be sent in full",
      {{"requestId", request_.id}, {"path", request_.path}, {"message", error.message()}, {"cause", error.cause()}});
}

}  // namespace mb::http
