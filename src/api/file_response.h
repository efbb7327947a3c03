// A file as an answer: whole, a part of it (RFC 9110, 14), or that it has not changed; and so that a browser runs
// nothing of it.
#pragma once

#include "http/message.h"
#include "storage/files.h"

namespace mb::api {

// What a `range` asks for of `size` bytes. Several ranges, other units and what is malformed are `whole`.
struct ByteRange {
  enum class Kind { whole, part, unsatisfiable } kind = Kind::whole;
  uint64_t offset = 0;
  uint64_t length = 0;
};
ByteRange byteRangeOf(std::string_view range, uint64_t size);

// "Sun, 06 Nov 1994 08:49:37 GMT"
std::string httpDateOf(Timestamp at);

// `files` is asked for pieces while the answer leaves, and outlives it.
http::Response fileResponse(const http::Request& request, const storage::Files& files, storage::OpenFile file);

}  // namespace mb::api
