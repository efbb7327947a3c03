// Converts documents to clone values, which are sent to a worker, and back.
//
//   BSON to JavaScript: dates are Dates; an int64 beyond +-2^53 is a BigInt; object ids and decimals are strings;
//   binary is a Uint8Array; a regex is a RegExp, without the option x that JavaScript lacks. JavaScript to BSON:
//   integral numbers are int32 where they fit, int64 within +-2^53, else doubles; a BigInt is an int64; a Set is an
//   array, a Map with strings as keys an object, an Error {name, message}; what is undefined is left out of an object,
//   and null anywhere else.
#pragma once

#include "clone/format.h"
#include "document/bson.h"

namespace mb::clone {

// The largest value in bytes of BSON; also the bound of a list response.
inline constexpr size_t kMaxBsonBytes = 16 << 20;
// JavaScript numbers represent integers of at most this magnitude exactly.
inline constexpr int64_t kMaxExactInteger = int64_t{1} << 53;
// Maximum nesting of containers in values from a worker, as in a request body.
inline constexpr int kMaxDepthRead = 100;

// Returns false if the value is nested deeper than kMaxDepth; the output is then unusable.
[[nodiscard]] bool writeValue(Writer& out, doc::ValueView value);
[[nodiscard]] bool writeObject(Writer& out, doc::DocumentView object);

enum class Purpose {
  result,    // an invalid number or date becomes null; a RegExp a regex
  argument,  // an invalid number or date is refused; a RegExp becomes {$regex, $options}, as in filters
};

// Reads the value at the front. Malformed bytes leave in.failed(), with any error; a value that BSON cannot hold, or
// only in more than kMaxBsonBytes, fails with validation.
Result<doc::Value> readValue(Reader& in, Purpose purpose);
// Reads an array as a document with the keys "0", "1", …; anything else leaves in.failed().
Result<doc::Document> readArguments(Reader& in);

}  // namespace mb::clone
