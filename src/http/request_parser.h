// One HTTP/1.1 request out of bytes: the head through Beast's parser plus the strictness that it leaves to its user,
// and chunked bodies. Knows no socket. Private to this module; bodies with a length are the connection's business.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/chunk_decoder.h"
#include "http/message.h"

namespace mb::http {

// What a head says about its request's frame.
struct Framing {
  size_t headBytes = 0;  // up to and with the empty line, empty lines before the request included
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
  // `data` holds all that has come since the request's first byte. needMore: call again when more has come behind it.
  Status parseHead(std::string_view data);
  // After done.
  const Framing& framing() const { return framing_; }
  // Sets method, target, path, query, http10 and headers of `request` to views of `data`, which holds what parseHead
  // read, wherever it stands now.
  void fill(Request& request, std::string_view data) const;
  // After the head of a chunked request, with what follows it: ChunkDecoder::decode.
  Status parseChunks(std::string_view data, size_t& consumed, std::string& body, size_t limit);
  // After failed: what to answer before closing.
  Error takeError() { return *std::move(error_); }

 private:
  // A part of the request, by its place in it: its bytes may move while the body is read.
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
  Status judgeFraming();
  Status judgeTarget(std::string_view data);

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
