// What a document must be to be stored, beyond being well-formed BSON.
#pragma once

#include "document/bson.h"

namespace mb::doc {

inline constexpr int kMaxNesting = 100;

// Fails with validation, a JSON pointer in the details, for a key that is empty, starts with "$" or holds ".", and for
// a document nested more than 100 levels deep (the document itself is the first).
Result<> checkStorable(DocumentView document);
// The same for a value that stands `depth` levels deep in a document.
Result<> checkStorableValue(ValueView value, int depth = 1);

// "/" and `key`, escaped (RFC 6901), added to a JSON pointer.
void appendPointer(std::string& pointer, std::string_view key);

}  // namespace mb::doc
