// Leaves fields out of a document.
#pragma once

#include "document/field_set.h"

namespace mb::doc {

// Leaves the covered fields out of a document's bytes, in place; elements of arrays that follow one move up. Charges
// the thread's WorkBudget for the fields that it looks at; the size of what is left out costs nothing. The capacity of
// `document` is at most about twice its size afterwards.
void stripFields(const FieldSet& fields, std::string& document);

}  // namespace mb::doc
