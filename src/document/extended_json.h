// Extended JSON, relaxed and canonical (specifications.readthedocs.io, "MongoDB Extended JSON v2"), as far as documents
// know its types.
#pragma once

#include "document/bson.h"

namespace mb::doc {

// Whether an object with only this field, or with this one and `second`, stands for a value.
bool isExtendedKey(std::string_view key);
bool isExtendedPair(std::string_view first, std::string_view second);

// Appends what `wrapper`, an object with such keys, stands for. Fails with invalidJson when it is malformed.
Result<> appendExtended(BsonWriter& out, std::string_view key, DocumentView wrapper);

}  // namespace mb::doc
