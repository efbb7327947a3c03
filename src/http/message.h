// Requests and responses as the other modules see them. Does not expose Beast.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/error.h"

namespace mb::http {

class BodyReader;  // body.h
class BodySource;

enum class Method { get, head, post, put, patch, remove, options, other };
std::string_view methodName(Method method);

struct Header {
  std::string_view name;  // as sent; compare with equalsIgnoreCase
  std::string_view value;
};
bool equalsIgnoreCase(std::string_view a, std::string_view b);

// A request whose head has been read. Views are valid while the request is being handled.
struct Request {
  Method method = Method::get;
  std::string_view target;  // as sent
  std::string_view path;    // the raw path, before "?"
  std::string_view query;   // the raw query, without "?"
  std::vector<Header> headers;
  std::string_view body;         // complete once handle() is called; empty if it streams
  std::string peer;              // the connection's remote address, without port
  std::string id;                // x-request-id: the client's if well-formed, else generated
  bool http10 = false;           // HTTP/1.0, not 1.1
  bool bodyPresent = false;      // content-length above 0 or chunked
  BodyReader* stream = nullptr;  // set on routes that stream, also without a body; null on others

  std::optional<std::string_view> header(std::string_view name) const;
};

struct WebSocketUpgrade;

// Bytes of an open file that does not change. If the file turns out shorter, the connection is closed.
struct FilePiece {
  std::shared_ptr<const Descriptor> file;  // null: no file
  uint64_t offset = 0;
  uint64_t length = 0;
};

struct Response {
  int status = 200;
  std::string_view contentType;  // a literal; empty: no content-type header
  // At most one of these three is set. Files and pieces are never encoded, and are not read for HEAD.
  std::string body;
  FilePiece file;
  std::shared_ptr<BodySource> pieces;
  // Names in lower case. content-length, date, x-request-id, connection and content-encoding are added by the
  // connection.
  std::vector<std::pair<std::string_view, std::string>> headers;  // names are literals
  bool close = false;                                             // close the connection after this response
  std::shared_ptr<const WebSocketUpgrade> upgrade;                // set for a 101 by webSocketResponse()
  std::shared_ptr<const void> keeps;                              // owns the names above that are not literals

  static Response empty(int status);  // 204, 201 without a body
  static Response json(int status, std::string body);
  static Response failure(const Error& error);  // the error envelope, with retry-after, www-authenticate, allow
  static Response text(int status, std::string_view contentType, std::string body);  // the type is a literal
};

// "a%20b" to "a b"; nullopt for a broken escape, NUL or invalid UTF-8.
std::optional<std::string> percentDecode(std::string_view text, bool plusIsSpace = false);
// The segments of a raw path ("/api/v1/x%2Fy" gives "api","v1","x/y"); fails with notFound for broken escapes.
Result<std::vector<std::string>> splitPath(std::string_view rawPath);

// Query parameters in order, decoded; fails with invalidParam for broken escapes. A repeated name keeps all its values.
class QueryParams {
 public:
  static Result<QueryParams> parse(std::string_view rawQuery);
  std::optional<std::string_view> get(std::string_view name) const;  // the first
  const std::vector<std::pair<std::string, std::string>>& items() const { return items_; }

 private:
  std::vector<std::pair<std::string, std::string>> items_;
};

}  // namespace mb::http
