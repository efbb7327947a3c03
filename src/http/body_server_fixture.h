// A server whose handlers read bodies piece by piece, and respond with files and with streamed bodies.
#pragma once

#include "base/descriptor.h"
#include "http/body.h"
#include "http/test_server.h"

namespace mb::http {

// Bytes whose values depend on their offset.
std::string pattern(size_t size, size_t from = 0);
// The response of /count to a body.
std::string countOf(std::string_view body);

// PUT, all of which stream:
//   /count           reads all; countOf() of it
//   /limit/<bytes>   the same under a limit
//   /some/<bytes>    reads at least that many bytes, then 403
//   /refused         reads nothing, then 403
//   /held            reads nothing until release(), then as /count
//   /size            the value of size()
// GET:
//   /file/<from>/<bytes>     of the file
//   /part/<from>/<bytes>     the same as 206, as application/json
//   /unchanged               304, although the response has a file
//   /pieces/<count>/<bytes>  <count> pieces of <bytes> bytes, together the pattern
//   /ends, /fails, /throws   end, fail or throw after the first of two pieces
//   /never                   fails at once
//   /long                    yields more than size()
//   /plain                   "plain"
class BodyService final : public Service {
 public:
  explicit BodyService(size_t fileBytes);

  Result<size_t> bodyLimit(const Request& head) override;
  Async<Response> handle(Request& request) override;

  void release() { released_ = true; }
  std::atomic<int> handled{0};
  std::atomic<int> ended{0};               // handlers
  std::atomic<size_t> pieces{0};           // returned by readers or sources
  std::atomic<size_t> largest{0};          // of the pieces that were read
  std::atomic<int> failures{0};            // of reads
  std::atomic<int> sources{0};             // that live
  std::atomic<ErrorCode> lastFailure{};    // of reads
  std::shared_ptr<const Descriptor> file;  // pattern(), then as many zero bytes that are not in the page cache

 private:
  Async<Response> put(Request& request);
  Response partOf(size_t from, size_t bytes) const;
  Task<std::string> readAll(BodyReader& body, size_t maxBytes);

  std::atomic<bool> released_{false};
};

class BodyServer {
 public:
  explicit BodyServer(ServerSettings settings = {}, size_t fileBytes = 1 << 20);
  ~BodyServer();

  int port() const { return server.port(); }

  Cores cores;
  BodyService service;
  Server server;
};

std::string put(std::string_view path, std::string_view body, std::string_view headers = "");
// The same in chunks of at most `chunk` bytes.
std::string putChunked(std::string_view path, std::string_view body, size_t chunk);
std::string getFrom(std::string_view path);

}  // namespace mb::http
