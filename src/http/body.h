// Bodies that are never in memory whole: one piece at a time, either way.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/task.h"

namespace mb::http {

// The body of a request as it arrives. Belongs to the connection, and is used by the request's handler alone, on its
// core. Nothing is read ahead of read(), so that a handler that is slow slows its client down. What a handler leaves
// unread is passed over behind its answer, or ends the connection.
class BodyReader {
 public:
  virtual ~BodyReader() = default;
  // The next bytes, at most kMaxPiece, valid until the next call; empty at the end, from then on. Fails, and then
  // always, with requestTimeout where the client goes or is too slow, with validation where chunks are not well-formed,
  // and with payloadTooLarge past the limit.
  virtual Task<std::string_view> read() = 0;
  // What content-length says; nullopt of a chunked body.
  virtual std::optional<uint64_t> size() const = 0;
  // How long the whole body may be, from now on. A content-length above it fails the next read() before the client is
  // asked to go on.
  virtual void setLimit(uint64_t maxBytes) = 0;

  static constexpr size_t kMaxPiece = 128 << 10;
};

// The body of an answer as it is made. The connection asks for a piece once it has sent the one before, and lets go of
// the source at the end, or as soon as it knows that the client is gone.
class BodySource {
 public:
  virtual ~BodySource() = default;
  // How many bytes there will be: the answer's content-length.
  virtual uint64_t size() const = 0;
  // The next bytes, valid until the next call. Where it fails, or ends before size(), the connection is cut: a short
  // body is never passed off as whole. Bytes past size() are not sent. It bounds its own waiting.
  virtual Task<std::string_view> read() = 0;
};

}  // namespace mb::http
