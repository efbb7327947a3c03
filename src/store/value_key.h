// Encodes one BSON value as order-preserving bytes: memcmp of two encodings is compareValues of the values, equal
// values (of any number type) encode equally, and no encoding is a prefix of another.
//
//   value    = class payload
//   class    = 0x08 minKey | 0x0C empty array | 0x10 null | 0x18 number | 0x20 string | 0x28 document | 0x30 array |
//              0x38 binary | 0x40 objectId | 0x48 boolean | 0x50 date | 0x58 timestamp | 0x60 regex | 0x68 maxKey
//   number   = double tail, both inverted when negative: the double nearest to the number towards zero, as 8
//              big-endian bytes with the sign bit set; NaN is 9 zero bytes
//   tail     = 0x00 when that double is the number itself, else
//              0x01 point(u16, + 0x8000) (1 + digit)* 0x00: the exact number as 0.ddd… times ten to the point
//   string   = text 0x00 0x00, where 0x00 in the text is 0x00 0xFF
//   document = (class string(key) payload)* 0x00        array likewise, keys left out
//   binary   = length(u32) subtype bytes      boolean = 0 | 1      objectId = 12 bytes
//   date     = milliseconds (u64, + 2^63)     timestamp = u64      regex = pattern 0x00 options 0x00
//
// A value longer than the cap is truncated, and the SHA-256 of its whole encoding follows: equality stays exact, the
// order up to the cap. A descending field has every byte inverted.
//
// The class "empty array" is for an array without an indexable element; it is not a BSON value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "document/bson.h"

namespace mb::store {

// The maximum bytes of a field's encoding in an index key, without the hash of a truncated one.
inline constexpr size_t kFieldCap = 512;
inline constexpr size_t kNoCap = SIZE_MAX;

inline constexpr uint8_t kEmptyArrayClass = 0x0C;
uint8_t keyClass(doc::BsonType type);

// Appends the encoding of `value`; true if it was truncated.
bool appendValueKey(std::string& out, doc::ValueView value, bool descending, size_t cap = kFieldCap);
// The size of the encoding with which `bytes` begin, of a value that was encoded without a cap; 0 for other bytes.
size_t valueKeySize(std::string_view bytes, bool descending);
// The encoding in the other direction: every byte inverted.
void invert(std::string& encoded, size_t from = 0);
void appendNullKey(std::string& out, bool descending);
void appendNaNKey(std::string& out, bool descending);
void appendEmptyArrayKey(std::string& out, bool descending);
// Appends the class byte only: with successor(), the bounds of all values of the class.
void appendClass(std::string& out, uint8_t keyClass, bool descending);
// Appends the common prefix of all strings that begin with `prefix`.
void appendStringPrefix(std::string& out, std::string_view prefix, bool descending);

// number_key.cc: the payload of a number.
void appendNumber(std::string& out, doc::ValueView value);

}  // namespace mb::store
