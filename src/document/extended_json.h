// Extended JSON, relaxed and canonical (specifications.readthedocs.io, "MongoDB Extended JSON v2"), for the types that
// documents have.
#pragma once

#include "document/bson.h"

namespace mb::doc {

// Whether an object with only this field, or with this one and `second`, represents a value.
bool isExtendedKey(std::string_view key);
bool isExtendedPair(std::string_view first, std::string_view second);

// Appends the value of `wrapper`, an object with such keys. Fails with invalidJson if it is malformed.
Result<> appendExtended(BsonWriter& out, std::string_view key, DocumentView wrapper);

}  // namespace mb::doc
