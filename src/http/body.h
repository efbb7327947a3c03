// Bodies that are streamed: one piece at a time is in memory, in both directions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/task.h"

namespace mb::http {

// A BodyReader yields the body of a request as it arrives. The connection owns it; only the request's handler uses it,
// on the connection's core. Nothing is read ahead of read(), so a slow handler slows its client down. The part that a
// handler leaves unread is discarded after the response, or ends the connection.
class BodyReader {
 public:
  virtual ~BodyReader() = default;
  // The next bytes, at most kMaxPiece, valid until the next call; empty at the end and on every later call. Fails, and
  // then on every later call, with requestTimeout if the client disconnects or is too slow, with validation if chunks
  // are not well-formed, and with payloadTooLarge past the limit.
  virtual Task<std::string_view> read() = 0;
  // The value of content-length; nullopt for a chunked body.
  virtual std::optional<uint64_t> size() const = 0;
  // Sets the limit of the whole body in bytes, for later reads. A content-length above it fails the next read() before
  // 100 (Continue) is sent.
  virtual void setLimit(uint64_t maxBytes) = 0;

  static constexpr size_t kMaxPiece = 128 << 10;
};

// A BodySource produces the body of a response piece by piece. The connection calls read() once it has sent the piece
// before, and releases the source at the end, or as soon as it detects that the client has disconnected.
class BodySource {
 public:
  virtual ~BodySource() = default;
  // The total number of bytes: the response's content-length.
  virtual uint64_t size() const = 0;
  // The next bytes, valid until the next call. If it fails, or ends before size(), the connection is closed, so that
  // the client does not take a short body for a whole one. Bytes past size() are not sent. The source bounds its own
  // waits.
  virtual Task<std::string_view> read() = 0;
};

}  // namespace mb::http
