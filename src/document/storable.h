// Rules for stored documents, in addition to well-formed BSON.
#pragma once

#include "document/bson.h"

namespace mb::doc {

inline constexpr int kMaxNesting = 100;

// Fails with validation, with a JSON pointer in the details, for a key that is empty, starts with "$" or holds ".", and
// for a document nested more than 100 levels deep (the document itself is the first).
Result<> checkStorable(DocumentView document);
// The same for a value that is `depth` levels deep in a document.
Result<> checkStorableValue(ValueView value, int depth = 1);

// Appends "/" and the escaped `key` to a JSON pointer (RFC 6901).
void appendPointer(std::string& pointer, std::string_view key);

}  // namespace mb::doc
