// Conversions from the plain JSON form of a value to a BSON type that JSON lacks, and back: for extended JSON, x-bson
// and answers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "document/bson.h"

namespace mb::doc {

// The types that a schema's x-bson names.
enum class BsonForm { none, date, objectId, decimal, binary };

// 12 bytes from 24 hexadecimal digits.
std::optional<std::string> objectIdFromHex(std::string_view hex);

BsonType typeOf(BsonForm form);
// `given` in that form: a value that has it already as it is; a date from an RFC 3339 string, an object id from 24
// hexadecimal digits, a decimal from a number or a string, binary from base64. nullopt for anything else.
std::optional<Value> convertTo(BsonForm form, ValueView given);

}  // namespace mb::doc
