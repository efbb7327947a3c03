// Documents as clone values and back: what a worker is given, and what one says. Source: decisions 5.
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

// What one value may become, in bytes of BSON; the bound of a list's answer.
inline constexpr size_t kMaxBsonBytes = 16 << 20;
// JavaScript's numbers hold integers up to this exactly, either way from zero.
inline constexpr int64_t kMaxExactInteger = int64_t{1} << 53;
// Containers inside each other in what a worker says, as in a body.
inline constexpr int kMaxDepthRead = 100;

// False where it is nested deeper than kMaxDepth; what was written is then of no use.
[[nodiscard]] bool writeValue(Writer& out, doc::ValueView value);
[[nodiscard]] bool writeObject(Writer& out, doc::DocumentView object);

enum class Purpose {
  result,    // a number or date that is none is null; a RegExp is a regex
  argument,  // such a number or date is refused; a RegExp is {$regex, $options}, as filters take it
};

// The value at the front. Bytes that are no value leave in.failed(), with any error; what the bytes say but BSON cannot
// hold, or holds only in more than kMaxBsonBytes, fails with validation.
Result<doc::Value> readValue(Reader& in, Purpose purpose);
// An array, as a document with the keys "0", "1", …; anything else leaves in.failed().
Result<doc::Document> readArguments(Reader& in);

}  // namespace mb::clone
