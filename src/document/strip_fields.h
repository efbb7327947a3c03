// Removes fields from the bytes of a document.
#pragma once

#include "document/field_set.h"

namespace mb::doc {

// Removes the covered fields from a document's bytes, in place; array elements after a removed one move up. Charges the
// thread's WorkBudget for the fields that it visits; the size of removed fields costs nothing. The capacity of
// `document` is at most about twice its size afterwards.
void stripFields(const FieldSet& fields, std::string& document);

}  // namespace mb::doc
