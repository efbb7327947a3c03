// The response to a download: the whole file, a part of it (RFC 9110, 14), or 304. Its headers stop browsers from
// running scripts of the file.
#pragma once

#include "http/message.h"
#include "storage/files.h"

namespace mb::api {

// The part that a `range` header selects of `size` bytes. Several ranges, other units and malformed values are `whole`.
struct ByteRange {
  enum class Kind { whole, part, unsatisfiable } kind = Kind::whole;
  uint64_t offset = 0;
  uint64_t length = 0;
};
ByteRange byteRangeOf(std::string_view range, uint64_t size);

// "Sun, 06 Nov 1994 08:49:37 GMT"
std::string httpDateOf(Timestamp at);

// `files` is read while the response is sent; it outlives the response.
http::Response fileResponse(const http::Request& request, const storage::Files& files, storage::OpenFile file);

}  // namespace mb::api
