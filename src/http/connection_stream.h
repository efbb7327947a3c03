// The body of a request that its handler reads piece by piece. Private to this module.
#pragma once

#include "http/body.h"
#include "http/connection.h"
#include "http/min_rate_guard.h"

namespace mb::http {

// Stores pieces after the head in the connection's read buffer, whose space is reserved once, at the beginning: views
// of the head stay valid, and the buffer never holds more than one piece and the bytes that arrived with the head.
class Connection::Stream final : public BodyReader {
 public:
  explicit Stream(Connection& connection);
  Stream(const Stream&) = delete;

  Task<std::string_view> read() override;
  std::optional<uint64_t> size() const override;
  void setLimit(uint64_t maxBytes) override { limit_ = maxBytes; }

  // Releases the last piece. Call once the handler has ended.
  void endPiece();
  // Bytes of the body that the handler has not read; kEndless if the body's end, and the next request, cannot be found.
  uint64_t unread() const;

  static constexpr uint64_t kEndless = ~uint64_t{0};
  static constexpr uint64_t kMaxDiscard = 64 << 10;  // largest rest that is discarded to keep the connection

 private:
  Task<std::string_view> readSized();
  Task<std::string_view> readChunked();
  Async<bool> receive(size_t maxBytes);
  size_t available() const;
  Error tooLarge() const;

  Connection& connection_;
  const size_t headBytes_;
  const bool chunked_;
  bool ended_;
  uint64_t left_;  // of a body with a length
  uint64_t received_ = 0;
  uint64_t limit_ = ~uint64_t{0};
  size_t piece_ = 0;     // bytes of the buffer that the handler holds
  bool invited_;         // the client sends its body: it got 100 (Continue) or did not wait for it
  bool broken_ = false;  // the end of the body can no longer be found
  std::optional<Error> failure_;
  MinRateGuard rateGuard_;
};

}  // namespace mb::http
