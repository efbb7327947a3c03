// Serializes a response: status line, headers, gzip. Private to this module.
#pragma once

#include <string>
#include <string_view>

#include "http/encoding.h"
#include "http/message.h"

namespace mb::http {

struct HeadOptions {
  bool close = false;      // add "connection: close"
  bool keepAlive = false;  // add "connection: keep-alive", which is not the default of HTTP/1.0
};

// The current time as an HTTP date, formatted once a second per thread.
std::string_view httpDate();
std::string_view reasonPhrase(int status);
// A distinct value for x-request-id; not secret.
void makeRequestId(std::string& id);

// False for statuses whose responses never have a body or a content-length (RFC 9110, 8.6).
bool allowsBody(int status);
// The length of the body of `response`: text, file or pieces.
uint64_t bodyLength(const Response& response);
// Appends the status line and the headers. content-length is that of the body of `response`, whether it is sent or not.
void appendHead(std::string& out, const Response& response, std::string_view requestId, const HeadOptions& options);

// Whether gzip reduces the size: JSON, pages, scripts and style sheets over 1 KiB, not encoded yet.
bool isCompressible(const Response& response);
// Replaces the body by its gzip form and adds content-encoding. CPU-bound, about 10 ms a MiB. Any thread.
void gzip(Response& response);

}  // namespace mb::http
