// Conversions from the plain JSON form of a value to a BSON type that JSON lacks, and back: for extended JSON, x-bson
// and responses.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "document/bson.h"

namespace mb::doc {

// The types of a schema's x-bson.
enum class BsonForm { none, date, objectId, decimal, binary };

// 12 bytes from 24 hexadecimal digits.
std::optional<std::string> objectIdFromHex(std::string_view hex);

BsonType typeOf(BsonForm form);
// `given` in that form: unchanged if it has it already; a date from an RFC 3339 string, an object id from 24
// hexadecimal digits, a decimal from a number or a string, binary from base64. nullopt for anything else.
std::optional<Value> convertTo(BsonForm form, ValueView given);

}  // namespace mb::doc
