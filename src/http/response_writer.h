// An answer as bytes: status line, headers, gzip. Private to this module.
#pragma once

#include <string>
#include <string_view>

#include "http/encoding.h"
#include "http/message.h"

namespace mb::http {

struct HeadOptions {
  bool close = false;      // say "connection: close"
  bool keepAlive = false;  // say "connection: keep-alive", which HTTP/1.0 does not take for granted
};

// The current time as an HTTP date, made once a second per thread.
std::string_view httpDate();
std::string_view reasonPhrase(int status);
// A distinct value for x-request-id; not secret.
void makeRequestId(std::string& id);

// False for statuses whose answers never have a body or a content-length (RFC 9110, 8.6).
bool mayHaveBody(int status);
// Of the body that `response` has in any of its forms.
uint64_t bodyLength(const Response& response);
// Status line and headers, for the body that `response` holds, whether or not that is sent.
void appendHead(std::string& out, const Response& response, std::string_view requestId, const HeadOptions& options);

// Whether gzip would pay: JSON, pages, scripts and style sheets over 1 KiB, not encoded yet.
bool isCompressible(const Response& response);
// Replaces the body by its gzip form and says so. CPU-bound, about 10 ms a MiB. Any thread.
void gzip(Response& response);

}  // namespace mb::http
