// Parses one HTTP/1.1 request: the head with Beast's parser and the strict checks that Beast leaves to its user, and
// chunked bodies. Does not access a socket. Bodies with a length are read by the connection. Private to this module.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/chunk_decoder.h"
#include "http/message.h"

namespace mb::http {

// The framing of a request, from its head.
struct Framing {
  size_t headBytes = 0;  // including the final empty line and empty lines before the request
  size_t contentLength = 0;
  bool chunked = false;
  bool keepAlive = true;
  bool http10 = false;
  bool expectsContinue = false;
};

class RequestParser {
 public:
  enum class Status { needMore, done, failed };

  RequestParser(size_t maxHeadBytes, size_t maxHeaders);
  ~RequestParser();

  // Forgets the last request.
  void reset();
  // `data` holds all bytes since the request's first byte. needMore: call again with the same bytes and more after
  // them.
  Status parseHead(std::string_view data);
  // After done.
  const Framing& framing() const { return framing_; }
  // Sets method, target, path, query, http10 and headers of `request` to views of `data`. `data` holds the bytes that
  // parseHead read; they may have moved since.
  void fill(Request& request, std::string_view data) const;
  // Decodes the bytes after the head of a chunked request, as ChunkDecoder::decode does.
  Status parseChunks(std::string_view data, size_t& consumed, std::string& body, size_t limit);
  // After failed: the error to respond with before closing.
  Error takeError() { return *std::move(error_); }

 private:
  // A part of the request, by offset: its bytes may move while the body is read.
  struct Slice {
    uint32_t at = 0;
    uint32_t size = 0;
  };
  struct Field {
    Slice name;
    Slice value;
  };
  class Collector;

  Status refuse(ErrorCode code, std::string message);
  Status scanLines(std::string_view data);
  Status checkFraming();
  Status checkTarget(std::string_view data);

  const size_t maxHeadBytes_;
  const size_t maxHeaders_;
  Framing framing_;
  Method method_ = Method::other;
  Slice target_;
  Slice path_;  // empty: an absolute target without a path, which means "/"
  Slice query_;
  std::vector<Field> fields_;
  size_t start_ = 0;      // of the request line
  size_t lineStart_ = 0;  // of the line being scanned
  size_t scanned_ = 0;
  ChunkDecoder chunks_;
  std::optional<Error> error_;
  std::unique_ptr<Collector> collector_;
};

}  // namespace mb::http
